"""What values can do for people: show themselves in a notebook, become a frame, be drawn.

How is for ``report.notebook``, which is loaded when somebody looks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from withhold.lazy import load

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from polars import DataFrame


class Shown:
    """Shows itself in a notebook."""

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
