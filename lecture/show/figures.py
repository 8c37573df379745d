"""How do a demo's pictures get into slides?  The same blocks, drawn by matplotlib.

Every heat map, curve, scatter and bar chart of a part becomes one PNG and one SVG,
named after demo, part and place.  Chinese needs a font that has it: one is looked for
among the installed ones, and where there is none the error says which to install.

Left out: anything the screen does not show.  matplotlib is the extra `figures`.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from demos import Entry
from lecture.errors import SetupProblem
from lecture.files import named, write_whole
from lecture.quantities import blocks_of
from lecture.report import Bars, Block, Curve, HeatMap, Result, Scatter, T, flat, formatted
from lecture.show.words import VIRIDIS, ink, shade

# Families that hold simplified Chinese, the free ones first.
CHINESE = ("Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "WenQuanYi Zen Hei",
           "WenQuanYi Micro Hei", "Noto Sans CJK JP", "Droid Sans Fallback", "PingFang SC",
           "Hiragino Sans GB", "Microsoft YaHei", "SimHei", "SimSun", "Arial Unicode MS")
LINES = ("-", "--", ":", "-.", (0, (5, 1)), (0, (1, 1)))
DOTS = 160                                          # per inch, for a projector


def draw(entry: Entry, results: Sequence[Result], folder: Path, lang: str) -> list[Path]:
    """Write every picture of these results; the files, in order.

    SetupProblem: matplotlib is missing, Chinese has no font, or the folder resists.
    """
    (plt, settings), folder = _matplotlib(lang), named(folder)
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with plt.rc_context(settings):
            for result in results:
                blocks = [b for b in flat(blocks_of(result.part, result.metrics)) if _drawn(b)]
                for number, block in enumerate(blocks, 1):
                    name = f"{entry.code}-{result.part.number}-{result.part.key}-{number}"
                    written += _keep(plt, block, result, lang, folder / name)
    except OSError as error:
        raise SetupProblem(f"cannot write {folder}: {error.strerror or error}",
                           "choose a folder you may write to") from None
    return written


def _keep(plt: Any, block: Any, result: Result, lang: str, stem: Path) -> list[Path]:
    """One picture as two files; nothing of it stays in memory, whatever happens."""
    before = set(plt.get_fignums())
    try:
        figure, paths = _figure(plt, block, result.metrics, lang), []
        for kind in ("png", "svg"):
            path, picture = stem.with_name(f"{stem.name}.{kind}"), io.BytesIO()
            figure.savefig(picture, format=kind, dpi=DOTS,
                           metadata={"Date": None} if kind == "svg" else {})
            write_whole(path, picture.getvalue())
            paths.append(path)
    finally:
        for number in set(plt.get_fignums()) - before:
            plt.close(number)
    return paths


def _drawn(block: Block) -> bool:
    return isinstance(block, HeatMap | Curve | Scatter | Bars)


def _matplotlib(lang: str) -> tuple[Any, dict[str, Any]]:
    """pyplot, and its settings for our pictures: the same picture is the same bytes."""
    try:
        import matplotlib
        from matplotlib import font_manager
    except ImportError:
        raise SetupProblem("pictures need matplotlib, which is not installed",
                           "install the extra: pip install -c constraints.txt -e '.[figures]'") \
            from None
    matplotlib.use("agg")
    families = ["DejaVu Sans"]
    if lang == "zh":
        installed = {font.name for font in font_manager.fontManager.ttflist}
        family = next((name for name in CHINESE if name in installed), None)
        if family is None:
            raise SetupProblem("no installed font has Chinese characters",
                               "install one, such as Noto Sans CJK SC, or use --lang en")
        families.insert(0, family)
    import matplotlib.pyplot

    return matplotlib.pyplot, {"svg.hashsalt": "lecture", "axes.unicode_minus": False,
                               "font.family": families}


def _figure(plt: Any, block: Any, metrics: Any, lang: str) -> Any:
    draw_block: Any = {HeatMap: _heat_map, Curve: _curve, Scatter: _scatter,
                       Bars: _bars}[type(block)]
    figure = draw_block(plt, block, lang)
    if block.title:
        figure.axes[0].set_title(block.title.text(lang, metrics), loc="left", fontsize=11)
    figure.tight_layout()
    return figure


def _heat_map(plt: Any, block: HeatMap, lang: str) -> Any:
    from matplotlib.colors import ListedColormap

    rows, columns = len(block.rows), len(block.columns)
    figure, axes = plt.subplots(figsize=(max(4, 0.55 * columns + 2), max(3, 0.4 * rows + 1.4)))
    values = [[float("nan") if v is None else float(v) for v in row] for row in block.values]
    image = axes.imshow(values, cmap=ListedColormap(["#" + c for c in VIRIDIS]), vmin=block.low,
                        vmax=block.high, aspect="auto")
    figure.colorbar(image, ax=axes)
    dense = columns > 24 or rows > 32                       # a picture of a whole table
    step_x, step_y = max(1, columns // 16 if dense else 1), max(1, rows // 16 if dense else 1)
    axes.set_xticks(range(0, columns, step_x),
                    [formatted(c, "", lang) for c in block.columns][::step_x],
                    rotation=0 if columns < 12 else 60)
    axes.set_yticks(range(0, rows, step_y), [formatted(r, "", lang) for r in block.rows][::step_y])
    for i, row in enumerate(block.values if not dense else []):
        for j, value in enumerate(row):
            if value is not None:
                color = VIRIDIS[shade(value, block.low, block.high)]
                axes.text(j, i, formatted(value, block.format, lang), ha="center", va="center",
                          fontsize=8, color="#" + ink(color))
    return figure


def _curve(plt: Any, block: Curve, lang: str) -> Any:
    figure, axes = plt.subplots(figsize=(7, 4))
    for (name, ys), style in zip(block.series, LINES * 3, strict=False):
        axes.plot(block.x, [float("nan") if y is None else y for y in ys], linestyle=style,
                  marker="o" if len(block.x) <= 40 else None, markersize=3, label=name.text(lang))
    if block.low is not None or block.high is not None:
        axes.set_ylim(block.low, block.high)
    _labels(axes, block.x_label, block.y_label, lang)
    axes.legend()
    return figure


def _scatter(plt: Any, block: Scatter, lang: str) -> Any:
    figure, axes = plt.subplots(figsize=(7, 5))
    for (letter, name), marker in zip(block.classes.items(), "osv^DPX*", strict=False):
        points = [(x, y) for x, y, kind in block.points if kind == letter]
        axes.scatter([x for x, _ in points], [y for _, y in points], marker=marker,
                     label=name.text(lang))
    _labels(axes, block.x_label, block.y_label, lang)
    axes.legend()
    return figure


def _bars(plt: Any, block: Bars, lang: str) -> Any:
    figure, axes = plt.subplots(figsize=(7, 0.4 * len(block.labels) + 1.2))
    bars = axes.barh([formatted(label, "", lang) for label in block.labels],
                     [v or 0 for v in block.values])
    axes.bar_label(bars, [formatted(v, block.format, lang) for v in block.values], padding=3)
    axes.invert_yaxis()
    if block.high is not None:
        axes.set_xlim(0, block.high * 1.12)
    return figure


def _labels(axes: Any, x: T, y: T, lang: str) -> None:
    axes.set_xlabel(x.text(lang))
    axes.set_ylabel(y.text(lang))
