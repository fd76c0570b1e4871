"""Columns whose cells become ranges or sets: axes for the search, and the plan that groups of rows make.

A missing value has a place of its own: if some rows of a group have one and others do not, the cell is
withheld. So is a cell that would show every value of its column.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from withhold.data import Table
from withhold.data.array_types import Ints, Longs
from withhold.data.cell_plan import KEPT, CellPlan, fingerprint
from withhold.data.names import is_unknown
from withhold.data.ranges import Range, orders_of, read_cell, set_text
from withhold.data.table import WITHHELD, Column, Value
from withhold.errors import InputError
from withhold.methods.cells.boxes import ALONE, APART, BITS, MOST_WORDS, UNIT, Axes
from withhold.methods.cells.model import KAnonymity
from withhold.methods.cells.options import SETS
from withhold.options import Plain

NUMBER_OF_BITS = BITS * MOST_WORDS - ALONE
HOW_TO_READ = (
    "[25..34] stands for one number or date from 25 to 34, both included, and {a, b} for one of the values a "
    "and b; a value with a comma, a brace, a quote or blanks around it is in quotes there, as in JSON. A "
    "withheld cell stands for any value, and any other cell for itself."
)


@dataclass(frozen=True)
class SetColumn:
    """One column: its distinct values by rank, first those that no range or set may contain."""

    name: str
    ranks: Longs
    """By row."""
    values: tuple[Value, ...]
    """By rank; a withheld cell has None."""
    n_alone: int
    """How many ranks are for missing values and withheld cells, which no range or set may contain."""
    orders: tuple[Fraction, ...] | None
    """By rank, from ``n_alone`` on: where a number or a date stands; None in a column of categories."""

    @property
    def places(self) -> Longs:
        """By rank: the place in a range, or the number of a bit."""
        n_shown = len(self.values) - self.n_alone
        if self.orders is None:
            shown = ALONE + np.arange(n_shown, dtype=np.int64) % NUMBER_OF_BITS
            return np.append(np.arange(self.n_alone), shown).astype(np.int64)
        low, span = self.orders[0], self.orders[-1] - self.orders[0] or Fraction(1)
        shown = np.array(
            [round((each - low) * UNIT / span) for each in self.orders], dtype=np.int64
        )
        return np.append(np.arange(-self.n_alone, 0) * APART, shown).astype(np.int64)

    def name_of(self, ranks: Sequence[int]) -> tuple[str | None, float]:
        """The text of a cell for several ranks (None: withheld), and how much that hides."""
        if ranks[0] < self.n_alone or len(ranks) == len(self.values) - self.n_alone:
            return None, 1.0
        if self.orders is None:
            hidden = (len(ranks) - 1) / (len(self.values) - self.n_alone - 1)
            return set_text(str(self.values[rank]) for rank in ranks), hidden
        low, high = self.orders[ranks[0] - self.n_alone], self.orders[ranks[-1] - self.n_alone]
        span = self.orders[-1] - self.orders[0]
        if high - low == span:
            return None, 1.0
        # Of several ways to write the same number the first, so that equal ranges look alike.
        firsts = (self.n_alone + bisect_left(self.orders, end) for end in (low, high))
        ends = [str(self.values[first]) for first in firsts]
        return str(Range(*ends)), float((high - low) / span)


def set_columns(table: Table, names: Sequence[str]) -> list[SetColumn]:
    """These columns; refused where a value could be mistaken for a range or a set."""
    return [_set_column(table, table.column(name)) for name in names]


def make_axes(columns: Sequence[SetColumn]) -> tuple[Axes, Ints]:
    """The columns as parts of boxes, and by row and column the slot of the value."""
    places: list[Longs] = []
    words, steps, cells = [0], [], []
    n_slots = 0
    for column in columns:
        # Values that share a place or a bit share a slot.
        own, slots = np.unique(column.places, return_inverse=True)
        cells.append(slots[column.ranks] + n_slots)
        places.append(own)
        n_slots += len(own)
        n_shown = len(own) - column.n_alone
        is_ordered = column.orders is not None
        steps.append(0 if is_ordered else UNIT // max(n_shown - 1, 1))
        words.append(words[-1] + (2 if is_ordered else -(-(ALONE + n_shown) // BITS)))
    axes = Axes(np.concatenate(places), np.array(words, np.int64), np.array(steps, np.int64))
    return axes, np.ascontiguousarray(np.stack(cells, axis=1).astype(np.int32))


def plan_of_groups(table: Table, columns: Sequence[SetColumn], of_row: Longs) -> CellPlan:
    """The plan after which every row shows the ranges and sets of its group, numbered from 0 on."""
    n_groups = int(of_row.max()) + 1
    cells, names, hidden = [], [], []
    for column in columns:
        own: dict[str, int] = {}
        lost: list[float] = []
        shown = np.full(n_groups, KEPT, dtype=np.int32)
        for group, ranks in enumerate(_ranks_by_group(column, of_row, n_groups)):
            if len(ranks) > 1:
                name, share = column.name_of(ranks)
                if name is not None and name not in own:
                    own[name] = len(own)
                    lost.append(share)
                shown[group] = WITHHELD if name is None else own[name]
        # What was already withheld stays withheld, and does not count as a loss.
        cells.append(np.where(table.column(column.name).withheld, KEPT, shown[of_row]))
        names.append(tuple(own))
        hidden.append(tuple(lost))
    return CellPlan(
        tuple(column.name for column in columns),
        np.stack(cells, axis=1).astype(np.int32),
        tuple(names),
        tuple(hidden),
        fingerprint(table),
    )


def how_to_read(table: Table, model: KAnonymity, options: Mapping[str, Plain]) -> dict[str, Any]:
    """What a reader of a published table must know about its ranges and sets; empty if there are none."""
    if options.get("cells") != SETS:
        return {}
    kinds: dict[str, str] = {}
    for name in model.quasi_identifiers:
        column = table.column(name)
        for code in np.flatnonzero(column.counts > 0):
            if (cell := read_cell(column.values[code])) is not None:
                kinds[name] = "ranges" if isinstance(cell, Range) else "sets"
    return {"how_to_read": HOW_TO_READ, "columns": kinds} if kinds else {}


def _set_column(table: Table, column: Column) -> SetColumn:
    there = np.flatnonzero(column.counts > 0)
    values = {int(code): column.values[code] for code in there}
    for code, value in values.items():
        if read_cell(value) is not None:
            row = int((column.codes == code).argmax()) + 1
            raise InputError(
                f"row {row:,} holds a value that reads like a range or a set",
                path=None if table.source is None else table.source.path,
                column=column.name,
                value=value,
                remedy="change the value, or publish stars (--cells star)",
            )
    orders = orders_of(values.values())
    if orders is None:
        alone = [code for code, value in values.items() if not value]
        rest = [code for code, value in values.items() if value]
        by_rank = None
    else:
        alone = [code for code, value in values.items() if is_unknown(value)]
        rest = [code for code, value in values.items() if not is_unknown(value)]
        rest.sort(key=lambda code: (orders[values[code]], values[code]))
        by_rank = tuple(orders[values[code]] for code in rest)
    alone += [WITHHELD] if column.withheld.any() else []
    rank_of = np.zeros(len(column.values) + 1, dtype=np.int64)
    rank_of[[*alone, *rest]] = np.arange(len(alone) + len(rest))
    named = tuple(None if code == WITHHELD else column.values[code] for code in (*alone, *rest))
    return SetColumn(column.name, rank_of[column.codes], named, len(alone), by_rank)


def _ranks_by_group(column: SetColumn, of_row: Longs, n_groups: int) -> list[list[int]]:
    """The different ranks of each group, ascending."""
    width = len(column.values)
    pairs = np.unique(of_row * width + column.ranks)
    ends = np.searchsorted(pairs, np.arange(1, n_groups) * width)
    return [each.tolist() for each in np.split(pairs % width, ends)]
