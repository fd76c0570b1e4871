"""The sensitive columns of a table as numbers: which value each row has, and how often each occurs.

A blank and a withheld cell are values like any other. The values of an ordered column are numbered in their
order; one that has no place in it is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from withhold.data import Table
from withhold.data.array_types import Longs
from withhold.data.binning import lower_end
from withhold.data.table import WITHHELD, Column, Value
from withhold.errors import InputError, option
from withhold.methods.cells.model import KAnonymity
from withhold.methods.cells.requirements import Distribution


@dataclass(frozen=True)
class Sensitive:
    """One sensitive column."""

    name: str
    values: Longs
    """By row: the number of its value, from 0 on."""
    whole: Distribution


def sensitive_columns(table: Table, model: KAnonymity) -> list[Sensitive]:
    """The columns that the model protects, in its order."""
    return [_numbered(table, name, name in model.ordered) for name in model.sensitive_column]


def sensitive_values(
    name: str, values: Sequence[Value], counts: Longs, model: KAnonymity
) -> Sensitive:
    """A column of which only the different values and their numbers of rows are known, a row for each value.

    >>> model = KAnonymity(2, ["age"], sensitive_column="pay", t="0.5", ordered=["pay"])
    >>> found = sensitive_values("pay", ["10", "9"], np.array([3, 5]), model)
    >>> found.values.tolist(), found.whole.totals
    ([1, 0], (5, 3))
    """
    table = Table((Column.of(name, values),))
    found = _numbered(table, name, name in model.ordered)
    totals = np.zeros(len(values), dtype=np.int64)
    totals[found.values] = counts
    return replace(found, whole=replace(found.whole, totals=tuple(totals.tolist())))


def _numbered(table: Table, name: str, is_ordered: bool) -> Sensitive:
    column = table.column(name)
    codes, values = np.unique(column.codes, return_inverse=True)
    if is_ordered:
        ends = [_place(table, column, int(code)) for code in codes]
        order = sorted(range(len(codes)), key=lambda n: (ends[n], column.values[codes[n]] or ""))
        numbers = np.empty(len(codes), dtype=np.int64)
        numbers[order] = np.arange(len(codes))
        values = numbers[values]
    totals = tuple(np.bincount(values, minlength=len(codes)).tolist())
    return Sensitive(name, values.astype(np.int64), Distribution(totals, is_ordered))


def _place(table: Table, column: Column, code: int) -> Decimal:
    """Where a value stands in the order."""
    value = None if code == WITHHELD else column.values[code]
    if (end := lower_end(value)) is not None:
        return end
    row = int((column.codes == code).argmax()) + 1
    raise InputError(
        f"row {row:,} holds no number or range, so the values of the column have no order",
        path=None if table.source is None else table.source.path,
        column=column.name,
        remedy=f"leave the column out of {option('ordered')}: without an order t is stricter",
    )
