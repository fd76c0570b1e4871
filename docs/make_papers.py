"""Writes the pages of docs/papers from their texts and from what was measured, so that neither can drift.

A text (docs/papers/text/NAME.md.in) is a page in which some lines stand for more:

    {{table SUITE: TITLE}}                       a stored table, all of it
    {{plot SUITE: TITLE | x | y | series}}       a column over another, a line for each value of a third
    {{plot SUITE: TITLE | x | y | series | column=value, …}}    of these rows only

The tables are in docs/papers/results/SUITE.json, which ``python -m benchmarks SUITE`` writes.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "papers"
DIRECTIVE = re.compile(r"^\{\{(table|plot) ([\w-]+): (.+)\}\}$", re.MULTILINE)
MOST_LINES = 4


def main() -> None:
    """Write all pages and plots; remove plots that no page has any more."""
    made = pages()
    for path in (FOLDER / "plots").glob("*.svg"):
        if path.relative_to(FOLDER).as_posix() not in made:
            path.unlink()
    for name, text in made.items():
        path = FOLDER / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def pages() -> dict[str, str]:
    """The text of every page and plot, by its path below docs/papers."""
    made: dict[str, str] = {}
    for path in sorted((FOLDER / "text").glob("*.md.in")):
        name = path.name.removesuffix(".md.in")

        def replaced(match: re.Match[str], name: str = name) -> str:
            kind, suite, rest = match.groups()
            title, *columns = (part.strip() for part in rest.split("|"))
            table = stored(suite).get(title)
            if table is None:
                return f"*Not measured yet; `python -m benchmarks {suite}` does.*"
            if kind == "table":
                return table_text(table)
            number = sum(each.startswith(f"plots/{name}-") for each in made) + 1
            file = f"plots/{name}-{number}.svg"
            made[file] = plot_svg(table, *columns)
            return f"![{title}: {columns[1]} over {columns[0]}]({file})"

        text = DIRECTIVE.sub(replaced, path.read_text(encoding="utf-8"))
        if "{{" in text:
            raise ValueError(f"{path.name} has a line that is not understood: {{{{…")
        made[f"{name}.md"] = text
    return made


def stored(suite: str) -> dict[str, dict[str, Any]]:
    """The tables of a suite by title."""
    path = FOLDER / "results" / f"{suite}.json"
    tables = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return {table["title"]: table for table in tables}


def table_text(table: dict[str, Any]) -> str:
    """A stored table as Markdown, with its notes; columns that are empty everywhere are left out."""
    rows = table["rows"]
    columns = list(dict.fromkeys(name for row in rows for name in row if row[name] is not None))
    numbers = [all(not isinstance(row.get(name), str) for row in rows) for name in columns]
    lines = [
        columns,
        ["---:" if right else "---" for right in numbers],
        *([shown(row.get(name)) for name in columns] for row in rows),
    ]
    notes = " ".join(table["notes"])
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{text}\n\n{notes}" if notes else text


def shown(value: Any) -> str:
    """A value as people read it.

    >>> shown(12345), shown(0.26041), shown(None), shown({"value": 0.5, "at_most": 1, "met": True})
    ('12,345', '0.2604', '–', '0.5')
    """
    if isinstance(value, dict):
        return shown(value["value"])
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def plot_svg(table: dict[str, Any], x: str, y: str, series: str, only: str = "") -> str:
    """A line for each value of ``series``, as the text of an SVG that is the same wherever it is drawn."""
    import matplotlib as mpl

    from withhold.report.figures import draw
    from withhold.telling.plots import SERIES, Line, Lines

    rows = rows_where(table["rows"], only)
    places = tuple(dict.fromkeys(str(row[x]) for row in rows))
    names = list(dict.fromkeys(str(row[series]) for row in rows))[:MOST_LINES]
    lines = tuple(
        Line(name, role, tuple(values_at(rows, places, x, y, series, name)))
        for name, role in zip(names, SERIES, strict=False)
    )
    figure = draw(Lines("plot", table["title"], x, y, places, lines), width=5.0)
    text = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": table["title"], "svg.fonttype": "none"}):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return re.sub(r"[ \t]+$", "", text.getvalue(), flags=re.MULTILINE)


def rows_where(rows: list[dict[str, Any]], only: str) -> list[dict[str, Any]]:
    """The rows with these values.

    >>> rows_where([{"k": 2, "of": "a"}, {"k": 2, "of": "b"}, {"k": 3, "of": "b"}], "k=2, of=b")
    [{'k': 2, 'of': 'b'}]
    """
    asked = [each.strip().split("=") for each in only.split(",") if each]
    return [row for row in rows if all(str(row[name]) == value for name, value in asked)]


def values_at(
    rows: list[dict[str, Any]], places: tuple[str, ...], x: str, y: str, series: str, name: str
) -> Iterator[float | None]:
    """The value of a series at each place, where there is one."""
    own = {str(row[x]): row.get(y) for row in rows if str(row[series]) == name}
    for place in places:
        value = own.get(place)
        yield value["value"] if isinstance(value, dict) else value


if __name__ == "__main__":
    main()
