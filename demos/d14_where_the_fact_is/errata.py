"""Demo 14: what the lecture notes say, beside what its parts measure."""

from lecture.report import Erratum, T

ABLATION = (
    Erratum(
        "C-038", "measured",
        T("注意力权重说明从哪里取信息；取回来怎么用，在 MLP 里。",
          "Attention weights tell where information is taken from; its use is in the MLP."),
        T("大半在，不全在。最后位置没有两个 MLP，还答对 {without[all_mlp][zero][right]} 题；没有"
          "注意力，{without[all_attn][zero][right]} 题；拿掉 L1 注意力，错的从 "
          "{record[attention_1_loses][least]} 题到 {record[attention_1_loses][most]} 题，看种子。"
          "W_V、W_O 和后面的层都在用取回来的东西。",
          "Most of it, not all. Without both MLPs at the last place "
          "{without[all_mlp][zero][right]} are still right, without attention "
          "{without[all_attn][zero][right]}; without the attention of layer L1 "
          "{record[attention_1_loses][least]} to {record[attention_1_loses][most]} go wrong, by "
          "seed. W_V, W_O and later layers all use what was fetched."),
        metric="without.all_mlp.zero.right", notes=0.0, within=0.5),
)

ERRATA: dict[str, tuple[Erratum, ...]] = {"ablation": ABLATION}
