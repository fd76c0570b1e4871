"""What is in a table of columns, in a handful of numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from withhold.data.determining import determining_columns
from withhold.data.identifying import looks_identifying
from withhold.data.table import Column, Table

MOST_CELLS = 500_000_000
"""Rows times pairs of columns that are looked at; about a minute."""


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
    """Why it may identify people, and a release would stop; empty if nothing was found."""
    tells: tuple[str, ...]
    """The columns whose values can be told from it: where one is a quasi-identifier, a release stops."""


@dataclass(frozen=True)
class TableProfile:
    """Rows, columns and their values."""

    rows: int
    columns: tuple[ColumnProfile, ...]
    format: str


def profile_table(table: Table, *, top: int = 3) -> TableProfile:
    """The profile of ``table``."""
    looks = looks_identifying(table, table.names)
    telling = _telling(table, [name for name in table.names if name not in looks])
    columns = tuple(
        _profile(column, looks.get(column.name, ""), tuple(telling.get(column.name, ())), top)
        for column in table.columns
    )
    return TableProfile(len(table), columns, "" if table.source is None else table.source.format)


def _telling(table: Table, names: list[str]) -> dict[str, dict[str, float]]:
    """Which of these columns tell which others, in tables of a size that lets all pairs be looked at."""
    if len(table) * len(names) ** 2 > MOST_CELLS:
        return {}
    return determining_columns(table, names, names)


def _profile(column: Column, looks: str, tells: tuple[str, ...], top: int) -> ColumnProfile:
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
        tells,
    )
