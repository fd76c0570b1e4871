"""Tables of measurements: for people as aligned text, for programs as plain values.

A value with a target is shown with it, ``0.1351 ✓ ≤ 0.1355``, and stored with whether it was met.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

KEYS = {
    "CPU s": "cpu",
    "peak MB": "peak_mb",
    "KL": "kl",
    "symmetric KL": "symmetric_kl",
    "suppress s": "suppress",
    "measure s": "measure",
    "Jaccard": "jaccard",
}
"""What a measurement calls the value of a column, where that is not the column's own name."""


@dataclass(frozen=True)
class Judged:
    """A value that should be at most ``most``; without a target it is only shown.

    >>> Judged(0.2, 0.1).met, f"{Judged(0.2, 0.3):.1f}"
    (False, '0.2 ✓ ≤ 0.3')
    """

    value: float
    most: float | None = None

    @property
    def met(self) -> bool | None:
        return None if self.most is None else self.value <= self.most

    def __format__(self, form: str) -> str:
        if self.most is None:
            return format(self.value, form)
        return f"{self.value:{form}} {'✓' if self.met else '✗'} ≤ {self.most:{form}}"


@dataclass(frozen=True)
class Table:
    """Rows of the same columns; a column has a name and says how its values are formatted."""

    title: str
    columns: Mapping[str, str]
    rows: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What the reader must know to read the numbers, one line each."""

    def add(self, **row: Any) -> None:
        """Append a row; what it lacks is shown as a dash."""
        if unknown := row.keys() - self.columns.keys():
            raise KeyError(f"{self.title} has no columns {sorted(unknown)}")
        self.rows.append({name: row[name] for name in self.columns if name in row})

    def add_run(self, run: Mapping[str, Any], row: Mapping[str, Any]) -> None:
        """Append ``row``, and in the columns that it lacks what the measurement says of them.

        >>> table = Table("Times", {"file": "", "CPU s": ".1f"})
        >>> table.add_run({"cpu": 2.5, "loss": 0.1}, {"file": "retail"})
        >>> table.rows
        [{'file': 'retail', 'CPU s': 2.5}]
        """
        left = (name for name in self.columns if name not in row)
        self.add(**row, **{name: run[KEYS.get(name, name)] for name in left})

    def missed(self) -> Iterator[str]:
        """Each value that is above its target, in words."""
        for row in self.rows:
            name = " ".join(str(value) for value in row.values() if isinstance(value, str))
            for column, value in row.items():
                if isinstance(value, Judged) and value.met is False:
                    yield f"{name}: {column} {value:{self.columns[column]}}"

    def text(self) -> str:
        """The table as lines: words to the left, numbers to the right, notes below."""
        forms = self.columns.items()
        cells = [[_cell(row.get(name), form) for name, form in forms] for row in self.rows]
        lines = [list(self.columns), *cells]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        words = {name for row in self.rows for name, value in row.items() if _has_words(value)}
        shown = [
            "  ".join(
                cell.ljust(width) if name in words else cell.rjust(width)
                for name, cell, width in zip(self.columns, line, widths, strict=True)
            ).rstrip()
            for line in lines
        ]
        rule = "  ".join("─" * width for width in widths)
        return "\n".join([self.title, "", shown[0], rule, *shown[1:], *self.notes])

    def plain(self) -> dict[str, Any]:
        """The same as values that JSON can hold."""
        rows = [{name: _plain(value) for name, value in row.items()} for row in self.rows]
        return {"title": self.title, "rows": rows, "notes": self.notes}


def _cell(value: Any, form: str) -> str:
    if value is None:
        return "–"
    return value if isinstance(value, str) else format(value, form)


def _has_words(value: Any) -> bool:
    """Whether it is shown with more than a number; such a column is aligned to the left."""
    return isinstance(value, str) or (isinstance(value, Judged) and value.most is not None)


def _plain(value: Any) -> Any:
    if not isinstance(value, Judged):
        return value
    return {"value": value.value, "at_most": value.most, "met": value.met}
