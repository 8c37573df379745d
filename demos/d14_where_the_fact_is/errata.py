"""Demo 14: what the lecture notes say, beside what its parts measure."""

from lecture.report import Erratum, T

ABLATION = (
    Erratum(
        "C-038", "measured", where="003:213-214", verdict="imprecise",
        says=T("注意力权重只说从哪里取信息；取回来怎么用，在 MLP 里。",
               "Attention weights tell only where information is taken from; how it is used is "
               "in the MLP."),
        right=T("前半句对；后半句大半对：两个 MLP 在最后位置换成下一国的，"
                "{without.mlp.country.follow} 题改答下一国。可两个 MLP 在那里都用零代替，还对 "
                "{without.mlp.zero.right} 题：W_V、W_O 写下的东西自己就够答这些题；L1 注意力换成下"
                "一问的，{without.attn1.question.follow} 题改了答案。",
                "The first half is right, the second for the most part: with both MLPs at the last "
                "place exchanged for the next country's, {without.mlp.country.follow} say that "
                "country's answer. Yet with both at zero there {without.mlp.zero.right} stay "
                "right: for "
                "these what W_V and W_O write there is enough; and attention L1, exchanged for "
                "the next "
                "question's, changes {without.attn1.question.follow} answers."),
        metric="without.mlp.zero.right"),
)

ERRATA: dict[str, tuple[Erratum, ...]] = {"ablation": ABLATION}
