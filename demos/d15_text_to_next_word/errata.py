"""Demo 15: what the lecture notes say, beside what its parts measure.

`says` tells the notes' statement in our words; all rows are of the sheet on theory.
"""

from lecture.report import Erratum, T

TRANSLATOR = (
    Erratum(
        "B-016", "measured",
        T("I love AI 的三个编号以 42 开头，向量是 512 维。",
          "The three ids of I love AI begin with 42, the vectors have 512 numbers."),
        T("那些是编的例子，没有说明。随本项目的词表里第一个编号是 {words[0][id]}，后两个 "
          "{words[1][id]} 和 {words[2][id]}，宽度 {width}。",
          "Those are invented and not marked so. In the table shipped here the ids are "
          "{words[0][id]}, {words[1][id]} and {words[2][id]}, the width {width}."),
        metric="words.0.id", notes=42, within=0.5),
    Erratum(
        "B-109", "measured",
        T("同一句话后来的编号又以 1028 开头。",
          "Later the same sentence has ids that begin with 1028."),
        T("同一张词表、同一句话，只有 {readings} 种编号；两处的例子不能都对。",
          "One table gives one sentence {readings} set of ids; the two examples cannot both hold."),
        metric="readings", notes=2, within=0.5),
)

ORDER = (
    Erratum(
        "B-110", "measured",
        T("流程是先自注意力乘 N 层，再 FFN 乘 N 层。",
          "The order is self-attention in all N layers, then FFN in all N."),
        T("应是（注意力 → FFN）乘 N。照那样排，训练好的模型终态差 {gap:.0%}，{questions} 题剩 "
          "{left} 题对；三块没训练过的网络平均差 {untrained[b3][mean]:.1%}。",
          "It is (attention → FFN) times N. Sorted the other way the trained model's states are "
          "{gap:.0%} apart and {left} of {questions} are right; three untrained blocks are "
          "{untrained[b3][mean]:.1%} apart on average."),
        metric="gap", notes=0.0, within=0.01),
)

ERRATA = {"translator": TRANSLATOR, "order": ORDER}
