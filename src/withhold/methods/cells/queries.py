"""Random count queries on a table and its release: how many rows have these values in these columns?

The values that a published cell stands for follow from the release itself: every value of the column that
some row shows as this text (a node of a hierarchy, a set), every value of the column inside a range, and
every value of the column if the cell is withheld.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from withhold.data import Table
from withhold.data.array_types import Floats, Ints, Longs
from withhold.data.grouping import groups_of
from withhold.data.ranges import Range, order_of, orders_of, read_cell
from withhold.data.spans import starts_of
from withhold.data.table import WITHHELD, Column
from withhold.measure.queries import (
    MOST_CONDITIONS,
    QUERIES,
    QueryErrors,
    expected_counts,
    relative_errors,
)

Cell = tuple[int, int]
"""The place of a column among those asked about, and the code of a value there."""


def table_query_errors(
    original: Table,
    published: Table,
    names: Sequence[str],
    *,
    queries: int = QUERIES,
    seed: int = 0,
) -> QueryErrors:
    """The errors of counts of rows by their values in one to four of the columns ``names``."""
    asked = draw_cells(original.cells(names), queries, seed)
    was = [original.column(name) for name in names]
    now = [published.column(name) for name in names]
    answers = (
        _answers(asked, original, [_Shown(column, column, 0.0) for column in was], names),
        _answers(
            asked, published, [_Shown.released(*pair) for pair in zip(was, now, strict=True)], names
        ),
    )
    return relative_errors(asked, *answers, n_rows=len(original))


def draw_cells(cells: Ints, queries: int, seed: int) -> list[tuple[Cell, ...]]:
    """One to four random cells of a random row, for each query; none if all are withheld already."""
    generator = np.random.default_rng(seed)
    asking = np.flatnonzero((cells != WITHHELD).any(axis=1))
    asked = []
    for row in asking[generator.integers(0, len(asking), queries)] if len(asking) else ():
        shown = np.flatnonzero(cells[row] != WITHHELD)
        size = generator.integers(1, min(MOST_CONDITIONS, len(shown)) + 1)
        chosen = np.sort(generator.choice(shown, size, replace=False))
        asked.append(tuple((int(place), int(cells[row, place])) for place in chosen))
    return asked


class _Shown:
    """The probability that a published cell of one column stands for a value of the original."""

    def __init__(self, before: Column, after: Column, withheld: float) -> None:
        seen = (before.codes != WITHHELD) & (after.codes != WITHHELD)
        width = len(after.values)
        pairs = before.codes[seen].astype(np.int64) * width + after.codes[seen]
        pairs = np.unique(np.append(pairs, _in_ranges(before, after)))
        self.published = pairs % max(width, 1)
        self.starts = starts_of(np.bincount(pairs // max(width, 1), minlength=len(before.values)))
        self.likely = 1 / np.bincount(self.published, minlength=width)[self.published]
        self.withheld, self.width = withheld, width

    @classmethod
    def released(cls, before: Column, after: Column) -> _Shown:
        """For a release, in which a withheld cell may be any value that the column had."""
        return cls(before, after, 1 / max(int((before.counts > 0).sum()), 1))

    def by_code(self, value: int) -> Floats:
        """For every published code, and last for a withheld cell."""
        likely = np.zeros(self.width + 1)
        here = slice(self.starts[value], self.starts[value + 1])
        likely[self.published[here]] = self.likely[here]
        likely[-1] = self.withheld
        return likely


def _in_ranges(before: Column, after: Column) -> Longs:
    """Every value of the original that lies in a published range, and that range, as one number each."""
    there = [code for code, count in enumerate(before.counts) if count]
    orders = orders_of(before.values[code] for code in there)
    found: list[int] = []
    if orders is None:
        return np.empty(0, dtype=np.int64)
    known = sorted(
        (orders[before.values[code]], code) for code in there if before.values[code] in orders
    )
    for number, text in enumerate(after.values):
        cell = read_cell(text)
        low, high = (
            (order_of(cell.low), order_of(cell.high)) if isinstance(cell, Range) else (None, None)
        )
        if low is not None and high is not None:
            first = bisect_left(known, (low[1], -1))
            end = bisect_left(known, (high[1], len(before.values)))
            found += [code * len(after.values) + number for _, code in known[first:end]]
    return np.array(found, dtype=np.int64)


def _answers(
    asked: Sequence[Sequence[Cell]], table: Table, shown: Sequence[_Shown], names: Sequence[str]
) -> Floats:
    """The expected counts; identical rows are processed once."""
    groups = groups_of(table, names)
    cells = np.ascontiguousarray(table.cells(names)[groups.first_rows].T)

    def matching(cell: Cell) -> tuple[Longs, Floats]:
        place, value = cell
        likely = shown[place].by_code(value)[cells[place]]
        rows = np.flatnonzero(likely)
        return rows, likely[rows]

    return expected_counts(asked, matching, groups.sizes.astype(np.float64))
