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
from lecture.report import Bars, Block, Curve, HeatMap, Result, Scatter, flat, formatted
from lecture.show.charts import DOTTED, FEW, SERIES, apart, cells, dense, spread, ticks, wrapped
from lecture.show.words import MASKED, VIRIDIS, ink, shade

# Families that hold simplified Chinese, the free ones first.
CHINESE = ("Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "WenQuanYi Zen Hei",
           "WenQuanYi Micro Hei", "Noto Sans CJK JP", "Droid Sans Fallback", "PingFang SC",
           "Hiragino Sans GB", "Microsoft YaHei", "SimHei", "SimSun", "Arial Unicode MS")
# As on the page, in the same order: colour (4.5 on white), dash and mark of ten lines.
COLORS = ("#0b4a8f", "#b23c00", "#0a5c2b", "#6a1b9a", "#4d4d4d", "#7a5c00", "#00707a", "#b0135f",
          "#3d5a00", "#7a3b1d")
LINES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (7, 2, 1, 2)), (0, (3, 1)), (0, (1, 3)), (0, (10, 2)),
         (0, (5, 2, 1, 2, 1, 2)), (0, (2, 4)), (0, (9, 2, 2, 2)))
SHAPES = "os^D+xv*h|"
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
            figure.savefig(picture, format=kind, dpi=DOTS, bbox_inches="tight", pad_inches=0.12,
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
    except ImportError:
        raise SetupProblem("pictures need matplotlib, which is not installed",
                           "install the extra: pip install -c constraints.txt -e '.[figures]'") \
            from None
    matplotlib.use("agg")
    families = ["DejaVu Sans"]
    if lang == "zh":
        family = chinese_family()
        if family is None:
            raise SetupProblem("no installed font has Chinese characters",
                               "install one, such as Noto Sans CJK SC, or use --lang en")
        families.insert(0, family)
    import matplotlib.pyplot

    return matplotlib.pyplot, {"svg.hashsalt": "lecture", "axes.unicode_minus": False,
                               "font.family": families, "axes.axisbelow": True,
                               "axes.spines.top": False, "axes.spines.right": False}


def chinese_family() -> str | None:
    """A family with Chinese characters that can be drawn now; None where there is none.

    matplotlib keeps a list of fonts from the first time it ran: it misses what was installed
    since, and names what is gone.  So the files are looked for, and read in where needed.
    """
    from matplotlib import font_manager

    manager = font_manager.fontManager
    there = {font.name: font.fname for font in manager.ttflist if Path(font.fname).is_file()}
    family = next((name for name in CHINESE if name in there), None)
    if family is not None:
        return family
    listed, added = set(there.values()), []
    for path in sorted(font_manager.findSystemFonts()):
        if path not in listed:
            try:
                manager.addfont(path)
            except (OSError, RuntimeError, ValueError):     # no font, or one nobody can read
                continue
            added.append((manager.ttflist[-1].name, path))
    names = dict(added)
    family = next((name for name in CHINESE if name in names), None)
    return family or next((name for name, path in [*added, *there.items()] if _has_chinese(path)),
                          None)


def _has_chinese(path: str) -> bool:
    from matplotlib import font_manager

    try:
        font = font_manager.get_font(path)
        return all(font.get_char_index(ord(character)) for character in "注意力实测")
    except (OSError, RuntimeError, ValueError):
        return False


def _figure(plt: Any, block: Any, metrics: Any, lang: str) -> Any:
    draw_block: Any = {HeatMap: _heat_map, Curve: _curve, Scatter: _scatter,
                       Bars: _bars}[type(block)]
    figure = draw_block(plt, block, lang)
    if block.title:
        title = wrapped(block.title.text(lang, metrics), int(figure.get_figwidth() * 11))
        figure.axes[0].set_title("\n".join(title), loc="left", fontsize=11)
    return figure


def _heat_map(plt: Any, block: HeatMap, lang: str) -> Any:
    from matplotlib.colors import ListedColormap

    rows, columns = len(block.rows), len(block.columns)
    texts = [[MASKED if v is None else formatted(v, block.format, lang) for v in row]
             for row in block.values]
    large = dense(block)                                    # a picture of a whole table
    widest = max(len(text) for row in texts for text in row)
    side = 0.13 if large else max(0.4, 0.085 * widest + 0.08)
    figure, axes = plt.subplots(figsize=(max(2.5, side * columns), max(1.2, side * rows)))
    values = [[float("nan") if v is None else float(v) for v in row] for row in block.values]
    image = axes.imshow(values, cmap=ListedColormap(["#" + c for c in VIRIDIS]), vmin=block.low,
                        vmax=block.high, aspect="equal")
    figure.colorbar(image, ax=axes, fraction=0.04, pad=0.03)
    step_x, step_y = (max(1, n // 16 if large else 1) for n in (columns, rows))
    names = [formatted(c, "", lang) for c in block.columns]
    slanted = max(map(cells, names), default=0) * 0.1 > side * (step_x - 0.1)
    axes.set_xticks(range(0, columns, step_x), names[::step_x],
                    **({"rotation": 50, "ha": "right", "rotation_mode": "anchor"} if slanted
                       else {}))
    axes.set_yticks(range(0, rows, step_y), [formatted(r, "", lang) for r in block.rows][::step_y])
    axes.tick_params(length=0)
    for i, row in enumerate(block.values if not large else []):
        for j, value in enumerate(row):
            color = "666666" if value is None else \
                ink(VIRIDIS[shade(value, block.low, block.high)])
            axes.text(j, i, texts[i][j], ha="center", va="center", fontsize=8, color="#" + color)
    return figure


def _curve(plt: Any, block: Curve, lang: str) -> Any:
    names = ["\n".join(wrapped(" ".join(name.text(lang).split()), 26)) for name, _ in block.series]
    tall = [0.19 * (1 + name.count("\n")) for name in names]        # inches
    figure, axes = plt.subplots(figsize=(7, max(3.6, sum(tall) / 0.77 + 0.2)))
    drawn = [y for _, ys in block.series for y in ys if y is not None]
    for number, (_, ys) in enumerate(block.series):
        look = number % SERIES
        axes.plot(block.x, [float("nan") if y is None else y for y in ys], color=COLORS[look],
                  linestyle=LINES[look], marker=SHAPES[look] if len(block.x) <= DOTTED else None,
                  markersize=4, markerfacecolor="white", label=block.series[number][0].text(lang),
                  clip_on=False, zorder=3)
    _axes(axes, block, lang, list(block.x), drawn, (block.low, block.high))
    _name_the_ends(axes, block, names, tall)
    return figure


def _name_the_ends(axes: Any, block: Curve, names: Sequence[str], tall: Sequence[float]) -> None:
    """Each name at the end of its line, moved as little as keeps them apart."""
    low, high = axes.get_ylim()
    inches = axes.get_position().height * axes.figure.get_figheight()
    ends = {i: known[-1] for i, (_, ys) in enumerate(block.series)
            if (known := [(x, y) for x, y in zip(block.x, ys, strict=True) if y is not None])}
    order = sorted(ends, key=lambda i: -ends[i][1])
    tops = apart([(high - ends[i][1]) / (high - low) * inches for i in order],
                 [tall[i] for i in order], 0.0, inches)
    for i, top in zip(order, tops, strict=True):
        axes.annotate(names[i], ends[i], xytext=(1.04, 1 - (top + tall[i] / 2) / inches),
                      textcoords="axes fraction", va="center", fontsize=9, linespacing=1.1,
                      color=COLORS[i % SERIES], annotation_clip=False,
                      arrowprops={"arrowstyle": "-", "color": COLORS[i % SERIES], "shrinkA": 1,
                                  "shrinkB": 4, "linewidth": 0.8, "relpos": (0, 0.5)})


def _scatter(plt: Any, block: Scatter, lang: str) -> Any:
    figure, axes = plt.subplots(figsize=(7, 5))
    for number, (letter, name) in enumerate(block.classes.items()):
        points = [(x, y) for x, y, kind in block.points if kind == letter]
        look = number % SERIES
        thin = SHAPES[look] in "+x"
        axes.scatter([x for x, _ in points], [y for _, y in points], marker=SHAPES[look], s=30,
                     label=name.text(lang), linewidths=1.2, zorder=3, clip_on=False,
                     **({"color": COLORS[look]} if thin else
                        {"edgecolors": COLORS[look], "facecolors": "none"}))
        for x, y in points if len(block.points) <= FEW else []:
            axes.annotate(name.text(lang), (x, y), xytext=(6, 0), textcoords="offset points",
                          va="center", fontsize=9, color=COLORS[look])
    _axes(axes, block, lang, [p[0] for p in block.points], [p[1] for p in block.points])
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)
    return figure


def _bars(plt: Any, block: Bars, lang: str) -> Any:
    labels = ["\n".join(wrapped(formatted(label, "", lang), 34)) for label in block.labels]
    figure, axes = plt.subplots(figsize=(7, 0.4 * len(labels) + 1.2))
    places = range(len(labels))
    bars = axes.barh(places, [v or 0 for v in block.values], color=COLORS[0])
    axes.set_yticks(places, labels)
    axes.bar_label(bars, [formatted(v, block.format, lang) for v in block.values], padding=3)
    axes.invert_yaxis()
    high = max([block.high or 0, *(v or 0 for v in block.values)]) or 1.0
    axes.set_xlim(min([0, *(v or 0 for v in block.values)]), high * 1.12)
    _numbers(axes.set_xticks, 0.0, high, block.format.endswith("%"))
    return figure


def _axes(axes: Any, block: Curve | Scatter, lang: str, xs: Sequence[float], ys: Sequence[float],
          given: tuple[float | None, float | None] = (None, None)) -> None:
    """Names and round ticks; a little room all round, so that a line at the frame is seen."""
    ys = [*ys, *(end for end in given if end is not None)]
    percent = block.format.endswith("%")
    for values, ends, marks, whole, shares in (
            (xs, axes.set_xlim, axes.set_xticks, all(float(v).is_integer() for v in xs),
             percent and isinstance(block, Scatter)),
            (ys, axes.set_ylim, axes.set_yticks, False, percent)):
        low, high = spread(min(values, default=0.0), max(values, default=1.0))
        room = (high - low) * 0.03
        _numbers(marks, low, high, shares, whole)
        ends(low - room, high + room)
    axes.set_xlabel("\n".join(wrapped(block.x_label.text(lang), 76)))
    axes.set_ylabel("\n".join(wrapped(block.y_label.text(lang), 40)))
    axes.grid(color="#e2e2e2", linewidth=0.8)


def _numbers(marks: Any, low: float, high: float, percent: bool, whole: bool = False) -> None:
    found = ticks(low, high, percent=percent, whole=whole)
    marks([value for value, _ in found], [text for _, text in found])
