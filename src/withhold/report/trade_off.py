"""Sweeps as text, CSV, plain values, a plot and a page: one row for each point of the grid."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from withhold.atomic import FileSet, drafting
from withhold.errors import PolicyError
from withhold.escaping import json_text
from withhold.publish.replacing import refuse_inputs
from withhold.report.figures import svg_file
from withhold.report.html import page_html
from withhold.report.side_by_side import meanings
from withhold.sweep_state import has_sweep
from withhold.telling.facts import ALL_ITEMS, SENSITIVE_ITEMS, Fact, described, first_facts
from withhold.telling.layout import columns, in_two_lines, page
from withhold.telling.plots import SERIES, Line, Lines, Panels
from withhold.telling.sections import Drawing, Listing, Page, Section

if TYPE_CHECKING:
    from withhold.sweep_state import Point, Sweep


def sweep_text(sweep: Sweep) -> str:
    """A table of text with what is varied and what is plotted."""
    head, rows = sweep_table(sweep)
    lines = columns([*in_two_lines(head), *rows], right=range(len(head)))
    failed = [point for point in sweep.points if point.problem is not None]
    lines += [""] if failed else []
    return page([*lines, *(f"{_place(point)}: {point.problem}" for point in failed)])


def sweep_as_dict(sweep: Sweep) -> dict[str, Any]:
    """All points with all their facts, and what the facts mean."""
    return {
        "varied": list(sweep.varied),
        "warnings": list(sweep.warnings),
        "points": [
            {
                "values": dict(point.values),
                "facts": {fact.path: fact.value for fact in point.facts},
                "seconds": round(point.seconds, 4),
                "problem": point.problem,
            }
            for point in sweep.points
        ],
        **described(_facts(sweep).values()),
    }


def sweep_csv(sweep: Sweep) -> str:
    """A table with everything, for spreadsheets."""
    paths = list(_facts(sweep))
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow([*sweep.varied, *paths, "seconds", "problem"])
    for point in sweep.points:
        found = {fact.path: fact.value for fact in point.facts}
        cells = ["" if found.get(path) is None else found[path] for path in paths]
        values = ["" if value is None else value for value in point.values.values()]
        writer.writerow([*values, *cells, round(point.seconds, 4), point.problem or ""])
    return written.getvalue()


def sweep_html(sweep: Sweep, *, name: str, promise: str) -> str:
    """A page: the trade-off drawn, then the table."""
    head, rows = sweep_table(sweep)
    drawn = (Drawing(trade_off(sweep)),) if sweep.plotted else ()
    table = Listing("", head, rows, right=frozenset(range(len(head))))
    explained = meanings(_facts(sweep)[path] for path in sweep.plotted)
    return page_html(
        Page(
            title=name,
            kicker="Sweep, for the custodian: what each choice would cost",
            sections=(
                Section("trade-off", "The trade-off", drawn),
                Section("table", "The numbers", (table, explained)),
            ),
            footer=f"Made by withhold. The first point asked: {promise} "
            "Choose by what you can answer for, then publish one release.",
            warnings=sweep.warnings,
        )
    )


def trade_off(sweep: Sweep) -> Panels:
    """What is plotted against the first thing that was varied; a series for each of the rest."""
    first = sweep.varied[0]
    places = list(dict.fromkeys(_shown(first, point.values[first]) for point in sweep.points))
    series: dict[str, dict[str, Point]] = {}
    for point in sweep.points:
        series.setdefault(_place(point, but=first), {})[_shown(first, point.values[first])] = point
    panels = []
    for path in sweep.plotted:
        fact = _facts(sweep)[path]
        lines = []
        for number, (label, points) in enumerate(series.items()):
            facts = [points[place].fact(path) if place in points else None for place in places]
            values = tuple(None if found is None else found.value for found in facts)
            lines.append(Line(label or fact.label, SERIES[number % len(SERIES)], values))
        panels.append(
            Lines(path, path, first, fact.label, tuple(places), tuple(lines), fact.unit == "share")
        )
    labels = ", ".join(panel.y_label for panel in panels)
    return Panels("trade-off", f"What changes with {first}: {labels}", tuple(panels))


def sweep_table(sweep: Sweep) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """What was varied and what is plotted, as texts: the head and the rows."""
    facts = _facts(sweep)
    paths = list(sweep.plotted)
    if ALL_ITEMS in paths and facts[ALL_ITEMS].value is not None and SENSITIVE_ITEMS in facts:
        paths.insert(paths.index(ALL_ITEMS) + 1, SENSITIVE_ITEMS)
    labels = [facts[path].label for path in paths]
    rows = []
    for point in sweep.points:
        found = [point.fact(path) for path in paths]
        cells = ["impossible" if fact is None else fact.shown for fact in found]
        varied = (_shown(*each) for each in point.values.items())
        rows.append((*varied, *cells, f"{point.seconds:.2f} s"))
    return (*sweep.varied, *labels, "time"), tuple(rows)


def _facts(sweep: Sweep) -> Mapping[str, Fact]:
    """Every fact that any point has, the first with its path."""
    return first_facts(point.facts for point in sweep.points)


def _place(point: Point, *, but: str = "") -> str:
    shown = ((name, _shown(name, value)) for name, value in point.values.items() if name != but)
    return ", ".join(f"{name} {value}" for name, value in shown)


def _shown(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        # For what attackers know, no number means no limit.
        return "any" if name in ("max_known", "p") else "none"
    return str(value)


def sweep_files(folder: Path) -> FileSet:
    """``sweep.csv``, ``sweep.json``, ``sweep.html`` and ``trade-off.svg``."""
    names = ("sweep.json", "sweep.html", "trade-off.svg")
    return FileSet(folder / "sweep.csv", tuple(folder / name for name in names))


def check_files(folder: Path, sources: Iterable[Path]) -> None:
    """Refuse, before any work is done, a folder in which files of these names are not those of a sweep."""
    members = sweep_files(folder).members
    for path in members:
        refuse_inputs(path, {"one of the inputs": sources})
    if not has_sweep(folder) and (there := [path for path in members if path.exists()]):
        raise PolicyError(
            f"{there[0]} exists already, and is not of a sweep; choose another folder"
        )


def write_files(sweep: Sweep, folder: Path, *, name: str, promise: str) -> None:
    """Write ``sweep_files`` together; without anything to plot there is no ``trade-off.svg``."""
    texts = [
        sweep_csv(sweep),
        json_text(sweep_as_dict(sweep)) + "\n",
        sweep_html(sweep, name=name, promise=promise),
    ]
    if sweep.plotted:
        texts.append(svg_file(trade_off(sweep)))
    files = sweep_files(folder)
    with drafting(files) as drafts:
        written = [drafts.new_text(text) for text in texts]
        drafts.commit(list(zip(written, files.members, strict=False)), overwrite=True)
