"""Cells for δ-presence: columns are shown one after the other, as long as everybody stays within the bounds.

In: a table, the population and the model. Out: what each row shows. It starts with all rows as one group that
shows nothing, whose presence is rows / people for everybody. A group is divided by a column: each value that
may be shown gets a group of its own, and the other rows stay behind. Those who stay behind add the same to
the presence of everybody who fits the group, so whether a value may be shown is decided on the spot, in
fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from withhold.data import Table
from withhold.data.array_types import Bools, Longs
from withhold.data.table import WITHHELD
from withhold.methods.cells.model import KAnonymity
from withhold.methods.cells.people import People
from withhold.methods.cells.presence import Presence
from withhold.methods.cells.sensitive import sensitive_columns


@dataclass(frozen=True)
class Branch:
    """Rows that show the same columns and values so far, and the people who fit them."""

    rows: Longs
    people: Longs
    hidden: frozenset[int]
    """The columns that they do not show so far."""
    base: Fraction
    """What rows that stayed behind add to the presence of each of these people."""


@dataclass(frozen=True)
class Division:
    """A branch, divided by a column."""

    column: int
    values: tuple[int, ...]
    """The values that are shown."""
    base: Fraction
    shown: int
    """How many rows show their value."""


def shown_cells(table: Table, model: KAnonymity, names: Sequence[str], population: Table) -> Bools:
    """By row and column: whether the cell is shown, so that the model holds."""
    return _Dividing(table, model, names, population).run()


class _Dividing:
    def __init__(
        self, table: Table, model: KAnonymity, names: Sequence[str], population: Table
    ) -> None:
        bounds = model.presence_bounds
        assert bounds is not None
        self.bounds: Presence = bounds
        self.model = model
        self.cells = table.cells(names)
        self.people = People.of(table, names, population)
        self.sensitive = sensitive_columns(table, model)

    def run(self) -> Bools:
        """Divide until nothing can be divided any more."""
        shown = np.zeros(self.cells.shape, dtype=np.bool_)
        everybody = np.arange(len(self.people.counts), dtype=np.int64)
        all_rows = np.arange(len(self.cells), dtype=np.int64)
        columns = frozenset(range(self.cells.shape[1]))
        parts = [Branch(all_rows, everybody, columns, Fraction(0))]
        while parts:
            part = parts.pop()
            tried = [found for j in part.hidden if (found := self._divided(part, j)) is not None]
            if not tried:
                continue
            # Of columns that show as much, the first.
            best = max(tried, key=lambda each: (each.shown, -each.column))
            values = self.cells[part.rows, best.column]
            theirs = self.people.cells[part.people, best.column]
            for value in best.values:
                rows = part.rows[values == value]
                shown[rows, best.column] = True
                people = part.people[theirs == value]
                parts.append(Branch(rows, people, part.hidden - {best.column}, best.base))
        return shown

    def _divided(self, part: Branch, column: int) -> Division | None:
        """The branch with as many values of the column shown as is allowed; None if none can be shown."""
        values = self.cells[part.rows, column]
        found, counts = np.unique(values, return_counts=True)
        rows = dict(zip(found.tolist(), counts.tolist(), strict=True))
        theirs = self.people.cells[part.people, column] + 1
        weights = self.people.counts[part.people]
        people = np.bincount(theirs, weights=weights, minlength=int(found.max()) + 2)
        fitting = {value: int(people[value + 1]) for value in rows}
        n_people = int(weights.sum())
        good = {
            value
            for value, n in rows.items()
            if value != WITHHELD
            and n >= self.model.k
            and fitting[value]
            and self._is_right(part.rows[values == value])
        }
        while good:
            behind = len(part.rows) - sum(rows[value] for value in good)
            smallest = min(good, key=lambda value: (rows[value], value))
            rest = part.rows[~np.isin(values, list(good))]
            if behind and (behind < self.model.k or not self._is_right(rest)):
                good.remove(smallest)
                continue
            base = part.base + Fraction(behind, n_people)
            wrong = {v for v in good if not self._keeps_bounds(base, rows[v], fitting[v])}
            if wrong:
                good -= wrong
                continue
            others = n_people - sum(fitting[value] for value in good)
            if others and not self.bounds.allows(base):
                good.remove(smallest)
                continue
            return Division(column, tuple(sorted(good)), base, len(part.rows) - behind)
        return None

    def _keeps_bounds(self, base: Fraction, rows: int, people: int) -> bool:
        """Whether a group of its own keeps the bounds for the people who fit it."""
        return self.bounds.allows(base + Fraction(rows, people))

    def _is_right(self, rows: Longs) -> bool:
        """Whether a group of these rows meets the requirements on the sensitive columns."""
        for column in self.sensitive:
            values, counts = np.unique(column.values[rows], return_counts=True)
            there = dict(zip(values.tolist(), counts.tolist(), strict=True))
            if any(each.lacks(there, column.whole) for each in self.model.requirements):
                return False
        return True
