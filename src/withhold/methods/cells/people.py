"""Which people of a population fit which groups of a table: for the search and the audit, not for the check.

In: a table, its quasi-identifiers and the population. Out: the presence of everybody, as ``presence.py``
defines it: the sum of rows / people over the groups that a person fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from withhold.data import Table
from withhold.data.array_types import Ints, Longs
from withhold.data.grouping import group_rows, groups_of
from withhold.data.table import WITHHELD, Column


@dataclass(frozen=True)
class People:
    """The distinct people of a population, by the values of a table's columns."""

    cells: Ints
    """By person and column: the code of the table's value; -1 for one that the table does not have."""
    counts: Longs
    """How many people have these cells."""

    @classmethod
    def of(cls, table: Table, names: Sequence[str], population: Table) -> People:
        """The people of a population; those with equal values in all columns of the table are merged."""
        codes = [_as_coded(table.column(name), population.column(name)) for name in names]
        alike = group_rows(codes, len(population))
        return cls(np.stack(codes, axis=1)[alike.first_rows], alike.sizes)


@dataclass(frozen=True)
class Presences:
    """How probable it is that people of the population are in a table."""

    people: int
    lowest: Fraction
    highest: Fraction
    unmatched_rows: int
    """Rows that nobody of the population fits."""


def presences(table: Table, names: Sequence[str], population: Table) -> Presences:
    """The lowest and the highest presence of a person."""
    groups = groups_of(table, names)
    cells = table.cells(names)[groups.first_rows]
    people = People.of(table, names, population)
    sums = [Fraction(0)] * len(people.counts)
    unmatched_rows = 0
    shown = cells != WITHHELD
    patterns = group_rows([*shown.T.astype(np.int32)], len(cells))
    for number, first in enumerate(patterns.first_rows):
        here = np.flatnonzero(patterns.of_row == number)
        places = np.flatnonzero(shown[first])
        columns = [np.append(cells[here, p], people.cells[:, p]) for p in places]
        both = group_rows(columns, len(here) + len(people.counts)).of_row
        ours, theirs = both[: len(here)], both[len(here) :]
        rows = np.zeros(int(both.max()) + 1, dtype=np.int64)
        rows[ours] = groups.sizes[here]
        fitting = np.bincount(theirs, weights=people.counts, minlength=len(rows)).astype(np.int64)
        unmatched_rows += int(rows[fitting == 0].sum())
        shares = [
            Fraction(n, max(m, 1)) for n, m in zip(rows.tolist(), fitting.tolist(), strict=True)
        ]
        for person in np.flatnonzero(rows[theirs]).tolist():
            sums[person] += shares[theirs[person]]
    return Presences(int(people.counts.sum()), min(sums), max(sums), unmatched_rows)


def _as_coded(column: Column, other: Column) -> Ints:
    """The codes that the cells of another column have in this one; -1 where it does not have them."""
    code_of = {value or "": code for code, value in enumerate(column.values)}
    new = [code_of.get(value or "", WITHHELD) for value in other.values]
    found: Ints = np.array([*new, WITHHELD], dtype=np.int32)[other.codes]
    return found
