"""What is in a table of columns, in a handful of numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from withhold.data.identifying import looks_identifying
from withhold.data.table import Column, Table


@dataclass(frozen=True)
class ColumnProfile:
    """One column."""

    name: str
    kind: str
    different: int
    """Values."""
    blank: int
    """Cells without anything."""
    alone: int
    """Rows whose value no other row has."""
    top: tuple[tuple[str, int], ...]
    """The most frequent values with the number of their rows."""
    looks: str
    """Why it looks as if it named people; empty if it does not."""


@dataclass(frozen=True)
class TableProfile:
    """Rows, columns and their values."""

    rows: int
    columns: tuple[ColumnProfile, ...]
    format: str


def profile_table(table: Table, *, top: int = 3) -> TableProfile:
    """The profile of ``table``.

    >>> seen = profile_table(Table.from_columns({"sex": ["f", "m", "f"], "age": ["30", "", "41"]}))
    >>> [(column.name, column.different, column.blank, column.alone) for column in seen.columns]
    [('sex', 2, 0, 1), ('age', 3, 1, 3)]
    """
    looks = looks_identifying(table, table.names)
    columns = tuple(_profile(column, looks.get(column.name, ""), top) for column in table.columns)
    return TableProfile(len(table), columns, "" if table.source is None else table.source.format)


def _profile(column: Column, looks: str, top: int) -> ColumnProfile:
    counts = column.counts
    order = np.lexsort((np.arange(len(counts)), -counts))[:top]
    blank = sum(int(n) for value, n in zip(column.values, counts, strict=True) if not value)
    return ColumnProfile(
        column.name,
        column.kind,
        int((counts > 0).sum()),
        blank,
        int((counts == 1).sum()),
        tuple((column.values[code] or "", int(counts[code])) for code in order if counts[code]),
        looks,
    )
