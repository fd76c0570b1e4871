"""Plots drawn: ``draw`` takes a value of ``plots`` and returns a matplotlib ``Figure``.

No window, no pyplot, no global state. ``svg`` gives the same figure as text for a page: its colours are the
page's CSS variables, so that it follows light and dark.

>>> from withhold.telling.plots import Bars, Line
>>> figure = draw(Bars("b", "Lost by item", "lost", ("beer",), (Line("lost", "lost", (3.0,)),)))
>>> figure.axes[0].get_xlabel()
'lost'
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Mapping
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any

from withhold.telling.plots import Bars, Line, Lines, Panels, Plot, Scatter
from withhold.wording import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROLES: Mapping[str, tuple[str, str]] = {
    "before": ("#b4540a", "o"),
    "after": ("#0b7a75", "s"),
    "lost": ("#b4540b", "o"),
    "kept": ("#0b7a76", "s"),
    "other": ("#8a94a3", "^"),
    "first": ("#0b7a77", "s"),
    "second": ("#b4540c", "o"),
    "third": ("#5b50b8", "^"),
    "fourth": ("#a8326e", "D"),
}
"""The colour of each role, and a mark, so that nobody needs the colours to tell series apart."""
INK, MUTED, GRID = "#1b2430", "#5b6675", "#dfe3e8"
VARIABLES = {role: colour for role, (colour, _) in ROLES.items()} | {
    "ink": INK,
    "muted": MUTED,
    "grid": GRID,
}
"""The page's CSS variables. The colours are all different, because each identifies its variable."""
WIDE, NARROW = 7.2, 3.5
"""Inches. A page has both, and shows the one that fits."""
LONGEST_LABEL = 28
"""The most characters of a bar's label; the table next to the plot has it in full."""


def draw(plot: Plot, *, width: float = WIDE) -> Figure:
    """The plot as a figure of this many inches."""
    draws: Any = {Lines: _lines, Panels: _panels, Bars: _bars, Scatter: _scatter}[type(plot)]
    figure: Figure = draws(plot, width)
    return figure


def _lines(plot: Lines, width: float) -> Figure:
    """Series over common points, with their intervals shaded."""
    figure, axes = _blank(width, 3.0 if width == WIDE else 2.7)
    _draw_lines(axes, plot)
    _label(axes, plot.x_label, plot.y_label)
    _legend(axes, figure, len(plot.lines), width)
    return figure


def _panels(plot: Panels, width: float) -> Figure:
    """Plots of lines above each other; only the lowest labels the points."""
    figure, first = _blank(width, 0.8 + 1.75 * len(plot.panels), panels=len(plot.panels))
    for axes, panel in zip(figure.axes, plot.panels, strict=True):
        _draw_lines(axes, panel)
        last = panel is plot.panels[-1]
        _label(axes, panel.x_label if last else "", "")
        axes.set_title(plain(panel.y_label), loc="left", fontsize=9.5, color=INK)
        if not last:
            axes.tick_params(axis="x", labelbottom=False)
    if len(plot.panels[0].lines) > 1:
        _legend(first, figure, len(plot.panels[0].lines), width)
    return figure


def _draw_lines(axes: Axes, plot: Lines) -> None:
    places = _places(plot.x)
    for line in plot.lines:
        _draw_line(axes, places, line)
    axes.set_xticks(places, [plain(place) for place in plot.x])
    axes.margins(x=0.06)
    bounds = (bound for line in plot.lines for bound in (*line.high, *line.values))
    highest = max((bound for bound in bounds if bound is not None), default=0.0)
    axes.set_ylim(0.0, highest * 1.08 or 1.0)
    axes.grid(axis="y", color=GRID, linewidth=0.8)
    if plot.percent:
        axes.yaxis.set_major_formatter(_percent)


def _places(names: tuple[str, ...]) -> list[float]:
    """Numbers are at their values; names one after the other."""
    try:
        return [float(Fraction(name)) for name in names]
    except ValueError:
        return [float(place) for place in range(len(names))]


def _draw_line(axes: Axes, places: list[float], line: Line) -> None:
    colour, mark = ROLES[line.role]
    there = [number for number, value in enumerate(line.values) if value is not None]
    known = [places[number] for number in there]
    values = [value for value in line.values if value is not None]
    style: dict[str, Any] = {"color": colour, "markersize": 5, "linewidth": 2}
    dashes = "--" if line.role == "other" else "-"
    axes.plot(known, values, mark + dashes, label=plain(line.label), **style)
    if line.low:
        low, high = ([bound[number] for number in there] for bound in (line.low, line.high))
        axes.fill_between(known, low, high, color=colour, alpha=0.15, linewidth=0)


def _bars(plot: Bars, width: float) -> Figure:
    """Horizontal bars, the first label on top."""
    legend = 0 if len(plot.parts) == 1 else 1 if width == WIDE else len(plot.parts)
    figure, axes = _blank(width, 0.7 + 0.27 * max(len(plot.labels), 2) + 0.2 * legend)
    places = range(len(plot.labels))
    left = [0.0] * len(plot.labels)
    for part in plot.parts:
        values = [value or 0.0 for value in part.values]
        style: dict[str, Any] = {"height": 0.68, "color": ROLES[part.role][0]}
        axes.barh(places, values, left=left, label=plain(part.label), **style)
        left = [start + value for start, value in zip(left, values, strict=True)]
    longest = LONGEST_LABEL if width == WIDE else LONGEST_LABEL // 2
    short = (f"{label[: longest - 1]}…" if len(label) > longest else label for label in plot.labels)
    axes.set_yticks(places, [plain(label) for label in short])
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x", color=GRID, linewidth=0.8)
    _label(axes, plot.x_label, "")
    if not any(left):  # an axis needs a range
        axes.set_xlim(0, 1)
    if plot.percent:
        axes.xaxis.set_major_formatter(_percent)
    else:
        axes.locator_params(axis="x", integer=True)
    if not plot.percent and max(left, default=0.0) >= 1000:
        axes.xaxis.set_major_formatter(_with_commas)
    if len(plot.parts) > 1:
        _legend(axes, figure, len(plot.parts), width)
    return figure


def _scatter(plot: Scatter, width: float) -> Figure:
    """Points before and after, logarithmic from 1 on with room for 0; on the diagonal nothing changed."""
    from matplotlib.ticker import NullLocator

    figure, axes = _blank(width, 4.2 if width == WIDE else 3.2)
    axes.set_xscale("symlog", linthresh=1)
    axes.set_yscale("symlog", linthresh=1)
    top = max((max(x, y) for dots in plot.dots for x, y in dots.points), default=1.0)
    axes.plot([0, top], [0, top], ":", color=MUTED, linewidth=1, label="no change")
    style: dict[str, Any] = {"markersize": 4.5, "markeredgewidth": 0, "alpha": 0.75}
    for dots in plot.dots:
        if dots.points:
            colour, mark = ROLES[dots.role]
            across, up = zip(*dots.points, strict=True)
            label = plain(dots.label)
            axes.plot(across, up, mark, color=colour, label=label, clip_on=False, **style)
    axes.set_xlim(0, top * 1.3)
    axes.set_ylim(-0.08, top * 1.3)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(_with_commas)
        axis.set_minor_locator(NullLocator())
    axes.grid(color=GRID, linewidth=0.8)
    _label(axes, plot.x_label, plot.y_label)
    _legend(axes, figure, len(plot.dots) + 1, width)
    return figure


def _blank(width: float, height: float, *, panels: int = 1) -> tuple[Figure, Axes]:
    """An empty figure and the first of its panels."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    figure.patch.set_alpha(0.0)
    for axes in figure.subplots(panels, squeeze=False).flat:
        axes.patch.set_alpha(0.0)
        axes.set_axisbelow(True)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        for spine in axes.spines.values():
            spine.set_color(MUTED)
        axes.tick_params(colors=MUTED, labelsize=9)
    return figure, figure.axes[0]


def _label(axes: Axes, x: str, y: str) -> None:
    axes.set_xlabel(plain(x), color=INK, fontsize=9.5)
    if y:
        axes.set_ylabel(plain(y), color=INK, fontsize=9.5)


def _legend(axes: Axes, figure: Figure, entries: int, width: float) -> None:
    style: dict[str, Any] = {"frameon": False, "fontsize": 9.5, "labelcolor": INK}
    style |= {"ncols": entries if width == WIDE else 1, "handlelength": 1.6, "borderaxespad": 0.0}
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper left", **style)


def _percent(value: float, _: object) -> str:
    return percent(value, None)


def _with_commas(value: float, _: object) -> str:
    return f"{value:,.0f}"


def plain(text: str) -> str:
    """Text that matplotlib draws literally: a dollar starts no formula, nothing unprintable stays.

    >>> plain("5$ or $6")
    '5\\\\$ or \\\\$6'
    """
    return "".join(mark if mark.isprintable() else "�" for mark in text).replace("$", r"\$")


def svg_file(plot: Plot) -> str:
    """The figure as an SVG file of its own."""
    return _written(plot, WIDE, plot.name)


def svg(plot: Plot, *, width: float = WIDE) -> str:
    """The figure as an ``<svg>`` element for a page: named, with variables for colours, no external link."""
    name = f"{plot.name}-{'wide' if width == WIDE else 'narrow'}"
    return _for_a_page(_written(plot, width, name), name, plot.title)


def _written(plot: Plot, width: float, name: str) -> str:
    import matplotlib

    written = io.StringIO()
    # Text stays text, so that it can be read aloud, searched and copied; ids are the same every time.
    # Readers use their own fonts, so a letter that is missing here is not missing there.
    with matplotlib.rc_context(), warnings.catch_warnings():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": name})
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        draw(plot, width=width).savefig(
            written, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type"))
        )
    return written.getvalue()


def _for_a_page(text: str, name: str, title: str) -> str:
    body = text[text.index("<svg") : text.rindex("</svg>")]
    # None of this is for readers, and a style inside a page would apply to all of it.
    body = re.sub(r"<(metadata|style)\b.*?</\1>", "", body, flags=re.DOTALL)
    inside = body[body.index(">") + 1 :]
    box = re.search(r'viewBox="([^"]+)"', body)
    assert box is not None
    # Two figures on a page must not share names.
    inside = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', inside)
    inside = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", inside)
    inside = re.sub(r'xlink:href="#([^"]+)"', rf'href="#{name}-\1"', inside)
    for role, colour in VARIABLES.items():
        inside = inside.replace(colour, f"var(--{role})")
    return (
        f'<svg role="img" aria-labelledby="{name}-title" viewBox="{box[1]}" '
        f'class="{name.rpartition("-")[2]}"><title id="{name}-title">{escape(title)}</title>'
        f"{inside}</svg>"
    )
