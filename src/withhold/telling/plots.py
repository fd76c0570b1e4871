"""Plots as plain values: what is drawn, not how. ``figures`` draws them; pages and JSON give the numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["before", "after", "lost", "kept", "other", "first", "second", "third", "fourth"]
"""What a series represents; it decides the colour, which is the same everywhere."""
SERIES: tuple[Role, ...] = ("first", "second", "third", "fourth")
"""The roles of series without a meaning of their own."""


@dataclass(frozen=True)
class Line:
    """A series over the plot's ``x``, with an interval around each value if there are any."""

    label: str
    role: Role
    values: tuple[float | None, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


@dataclass(frozen=True)
class Titled:
    """What every plot has."""

    name: str
    """For anchors and files: one word, unique in a report."""
    title: str
    """What the plot shows, in a sentence; read aloud to those who cannot see it."""


@dataclass(frozen=True)
class Lines(Titled):
    """Several series over the same points of the x axis."""

    x_label: str
    y_label: str
    x: tuple[str, ...]
    lines: tuple[Line, ...]
    percent: bool = False
    """Whether the values are shares."""


@dataclass(frozen=True)
class Panels(Titled):
    """Several plots of lines above each other, over the same points and with the same series."""

    panels: tuple[Lines, ...]


@dataclass(frozen=True)
class Bars(Titled):
    """A bar for each label, made of one or several parts laid end to end."""

    x_label: str
    labels: tuple[str, ...]
    parts: tuple[Line, ...]
    percent: bool = False


@dataclass(frozen=True)
class Dots:
    """Points of one series: a label, a role, and their coordinates."""

    label: str
    role: Role
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Scatter(Titled):
    """Points in the plane, both axes logarithmic, with the line on which nothing changed."""

    x_label: str
    y_label: str
    dots: tuple[Dots, ...]


Plot = Lines | Panels | Bars | Scatter


def shares_of(plot: Plot) -> list[bool]:
    """For each column of numbers in ``rows_of``, whether they are shares."""
    if isinstance(plot, Panels):
        return [share for panel in plot.panels for share in shares_of(panel)]
    if isinstance(plot, Scatter):
        return [False, False]
    return [plot.percent] * len(plot.lines if isinstance(plot, Lines) else plot.parts)


def rows_of(plot: Plot) -> tuple[tuple[str, ...], tuple[tuple[str | float | None, ...], ...]]:
    """The numbers of a plot as a table: its head and its rows.

    >>> rows_of(Bars("b", "Two", "records", ("a",), (Line("lost", "lost", (3,)),)))
    (('', 'lost'), (('a', 3),))
    """
    if isinstance(plot, Panels):
        tables = [rows_of(panel) for panel in plot.panels]
        labels = (
            f"{panel.y_label}{': ' * bool(name)}{name}"
            for panel, (names, _) in zip(plot.panels, tables, strict=True)
            for name in names[1:]
        )
        rows = zip(*(rows for _, rows in tables), strict=True)
        cells = ((row[0][0], *(cell for part in row for cell in part[1:])) for row in rows)
        return (tables[0][0][0], *labels), tuple(cells)
    if isinstance(plot, Scatter):
        points = ((dots.label, x, y) for dots in plot.dots for x, y in dots.points)
        return ("", plot.x_label, plot.y_label), tuple(points)
    if isinstance(plot, Lines):
        first, places, series = plot.x_label, plot.x, plot.lines
    else:
        first, places, series = "", plot.labels, plot.parts
    values = (line.values for line in series)
    return (first, *(line.label for line in series)), tuple(zip(places, *values, strict=True))
