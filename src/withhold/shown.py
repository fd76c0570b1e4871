"""What results can do in a notebook: display themselves, become a frame, be plotted.

``report.notebook`` implements it, and is loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from withhold.lazy import load

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from polars import DataFrame


class Shown:
    """Can be displayed in a notebook."""

    def _repr_html_(self) -> str:
        return str(load("withhold.report.notebook:html_of")(self))


class Listed(Shown):
    """Has rows."""

    def to_frame(self) -> DataFrame:
        """A polars frame, one row for each of its rows; numbers are numbers."""
        frame: DataFrame = load("withhold.report.notebook:frame_of")(self)
        return frame


class Drawn(Listed):
    """Has rows that can be drawn."""

    def plot(self) -> Figure:
        """A matplotlib figure."""
        figure: Figure = load("withhold.report.notebook:figure_of")(self)
        return figure
