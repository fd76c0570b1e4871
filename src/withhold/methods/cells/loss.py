"""What a released table lost against its original, in numbers that each have a meaning.

In: the two tables, row by row comparable, and the model. Out: a ``TableLoss``. Nothing here decides about
privacy, so floating point is good enough.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from withhold.data import Table
from withhold.data.array_types import Floats
from withhold.data.cell_plan import CellPlan
from withhold.data.grouping import groups_of
from withhold.data.ranges import Range, order_of, orders_of, read_cell
from withhold.data.table import WITHHELD, Column, Value
from withhold.errors import InputError
from withhold.methods.cells.model import KAnonymity
from withhold.telling.shares import ShareOf, share_of
from withhold.wording import counted, percent

PSEUDO_COUNT = 0.1
"""α, added to every count; without it the divergence would be infinite if any value is gone."""
OTHER = -2
"""The code of a published cell that shows something other than its value: it was generalised."""


@dataclass(frozen=True)
class ColumnLoss:
    """What one column lost."""

    name: str
    withheld: int
    generalised: int

    def __add__(self, other: ColumnLoss) -> ColumnLoss:
        """What the column lost in both of two parts."""
        both = self.withheld + other.withheld, self.generalised + other.generalised
        return ColumnLoss(self.name, *both)


@dataclass(frozen=True)
class TableLoss:
    """What a released table lost."""

    withheld: int
    generalised: int
    total: int
    rows_touched: int
    rows: int
    kl: float | None
    """None if the release was measured by parts."""
    groups: int
    smallest_group: int
    by_column: tuple[ColumnLoss, ...]
    ncp: float | None = None
    """None if cells were generalised and the hierarchies are not known."""

    @property
    def share(self) -> float:
        """The share of the quasi-identifiers' cells that no longer show their value."""
        return share_of(self.withheld + self.generalised, self.total)

    withheld_share = ShareOf(
        "withheld", "total", "The share of the quasi-identifiers' cells that were withheld."
    )

    def as_dict(self) -> dict[str, Any]:
        """Shares and counts as plain values."""
        return {
            "share": self.share,
            "withheld_share": self.withheld_share,
            "pseudo_count": PSEUDO_COUNT,
            **asdict(self),
            "by_column": {c.name: [c.withheld, c.generalised] for c in self.by_column},
        }

    def facts(self) -> list[tuple[str, str]]:
        """What people want to know first, as pairs of texts."""
        cells = f"{self.withheld:,} of {counted(self.total, 'cell')} ({percent(self.withheld_share, 2)})"
        facts = [("withheld", cells)]
        if self.generalised:
            share = self.generalised / self.total
            facts.append(
                ("generalised", f"{counted(self.generalised, 'cell')} ({percent(share, 2)})")
            )
            if self.ncp is not None:
                facts.append(
                    ("detail lost", f"{percent(self.ncp, 2)} on average over all cells (NCP)")
                )
        lost = [each for each in self.by_column if each.withheld + each.generalised]
        most = sorted(lost, key=lambda c: -(c.withheld + c.generalised))[:3]
        shown = ", ".join(
            f"{c.name} {percent((c.withheld + c.generalised) / self.rows)}" for c in most
        )
        facts += [
            *([("most in", shown)] if most else []),
            ("rows touched", f"{self.rows_touched:,} of {self.rows:,}"),
            ("groups", f"{self.groups:,}, the smallest of {counted(self.smallest_group, 'row')}"),
        ]
        if self.kl is not None:
            divergence = f"{self.kl:.5f} KL of the values still shown (0 = the same)"
            facts.append(("divergence", divergence))
        return facts


def table_loss(
    original: Table,
    published: Table,
    model: KAnonymity,
    protected: frozenset[str] = frozenset(),
    plan: CellPlan | None = None,
) -> TableLoss:
    """The loss of ``published`` against ``original``.

    >>> before = Table.from_columns({"age": ["30", "30", "40"], "sex": ["f", "f", "m"]})
    >>> after = before.with_columns([Column("age", [0, 0, -1], ("30", "40"))])
    >>> loss = table_loss(before, after, KAnonymity(2, ["age", "sex"]))
    >>> loss.withheld, loss.rows_touched, round(loss.share, 3)
    (1, 1, 0.167)
    """
    refuse_other_rows(original, published)
    names = model.quasi_identifiers
    seen = {name: as_seen(original.column(name), published.column(name)) for name in names}
    classes = class_codes(original, model.label)
    touched, by_column = changed_cells(original, seen)
    groups = groups_of(published, names)
    pairs = ((original.column(name).codes, seen[name]) for name in names)
    return TableLoss(
        withheld=sum(each.withheld for each in by_column),
        generalised=sum(each.generalised for each in by_column),
        total=len(original) * len(names),
        rows_touched=touched,
        rows=len(original),
        kl=sum(class_divergence(*pair, classes) for pair in pairs),
        groups=len(groups),
        smallest_group=int(groups.sizes.min()),
        by_column=tuple(by_column),
        ncp=published_ncp(original, published, names) if plan is None else plan.ncp(),
    )


def changed_cells(
    original: Table, seen: Mapping[str, NDArray[np.int32]]
) -> tuple[int, list[ColumnLoss]]:
    """How many rows were changed, and the cells by column; ``seen`` has those in the original's codes."""
    touched = np.zeros(len(original), dtype=np.bool_)
    by_column = []
    for name, after in seen.items():
        before = original.column(name).codes
        touched |= before != after
        withheld = int(((after == WITHHELD) & (before != WITHHELD)).sum())
        by_column.append(ColumnLoss(name, withheld, int((after == OTHER).sum())))
    return int(touched.sum()), by_column


def published_ncp(original: Table, published: Table, names: Sequence[str]) -> float | None:
    """How much of its detail a cell lost on average, computed from the published cells alone.

    None if some cell shows anything other than its value, a range, a set, or nothing.

    >>> before = Table.from_columns({"age": ["30", "34", "40"]})
    >>> published_ncp(before, Table.from_columns({"age": ["[30..34]", "[30..34]", "40"]}), ["age"])
    0.26666666666666666
    """
    lost = 0.0
    for name in names:
        before, after = original.column(name), published.column(name)
        seen = as_seen(before, after)
        lost += float(((after.codes == WITHHELD) & (before.codes != WITHHELD)).sum())
        counts = np.bincount(after.codes[seen == OTHER], minlength=len(after.values))
        there = [value for value, n in zip(before.values, before.counts, strict=True) if n]
        for code in np.flatnonzero(counts):
            if (hidden := _hidden(read_cell(after.values[code]), there)) is None:
                return None
            lost += hidden * int(counts[code])
    return lost / max(len(original) * len(names), 1)


def untrue_cells(before: Column, after: Column) -> int:
    """How many cells show a range or a set that does not hold their original value."""
    other = as_seen(before, after) == OTHER
    pairs, counts = np.unique(
        np.stack([before.codes[other], after.codes[other]]), axis=1, return_counts=True
    )
    stands_for = {code: read_cell(after.values[code]) for code in np.unique(pairs[1]).tolist()}
    untrue = 0
    for (old, new), n_rows in zip(pairs.T.tolist(), counts.tolist(), strict=True):
        cell = stands_for[new]
        value = None if old == WITHHELD else before.values[old]
        untrue += n_rows if cell is not None and (value is None or value not in cell) else 0
    return untrue


def _hidden(cell: Range | frozenset[str] | None, values: Sequence[Value]) -> float | None:
    """How much of its detail a cell with a range or a set lost; None for any other cell."""
    if isinstance(cell, Range):
        ends, orders = (order_of(cell.low), order_of(cell.high)), orders_of(values)
        if orders is None or ends[0] is None or ends[1] is None:
            return None
        span = max(orders.values()) - min(orders.values())
        return min(float((ends[1][1] - ends[0][1]) / span), 1.0) if span else 0.0
    if cell is None:
        return None
    return min((len(cell) - 1) / max(sum(map(bool, values)) - 1, 1), 1.0)


def class_divergence(before: NDArray[np.int32], after: NDArray[np.int32], classes: Any) -> float:
    """Σ over classes p(c)·KL of the values still shown from the original ones, counts smoothed."""
    n_values = int(before.max(initial=-1)) + 1
    n_classes = int(classes.max(initial=-1)) + 2
    p, q = (_smoothed(codes, classes, n_values, n_classes) for codes in (before, after))
    weights = np.bincount(classes + 1, minlength=n_classes) / max(len(classes), 1)
    return max(float((weights[:, None] * p * np.log(p / q)).sum()), 0.0)


def as_seen(before: Column, after: Column) -> NDArray[np.int32]:
    """The published cells in the original's codes; -2 if a cell shows a text other than the original one."""
    code_of = {value: code for code, value in enumerate(before.values)}
    new = np.array([*(code_of.get(v, OTHER) for v in after.values), WITHHELD], dtype=np.int32)
    codes = new[after.codes]
    # A node of the hierarchy may have the name of some other value.
    return np.where((codes >= 0) & (codes != before.codes), OTHER, codes).astype(np.int32)


def class_codes(table: Table, label: str | None) -> NDArray[np.int32]:
    """The class of every row; one class for all without a label."""
    if label is None:
        return np.zeros(len(table), dtype=np.int32)
    return table.column(label).codes


def refuse_other_rows(original: Table, published: Table) -> None:
    """Only the same rows in the same order can be compared cell by cell."""
    if len(original) != len(published):
        raise InputError(
            f"the release has {counted(len(published), 'row')} and the original {len(original):,}",
            remedy="compare a release with the very table it was made from",
        )


def _smoothed(codes: NDArray[np.int32], classes: Any, n_values: int, n_classes: int) -> Floats:
    """By class, one row for withheld labels first: the smoothed shares of the values."""
    # One more place for each class, for withheld cells.
    keys = (classes.astype(np.int64) + 1) * (n_values + 1) + np.where(codes >= 0, codes, n_values)
    counts = np.bincount(keys, minlength=n_classes * (n_values + 1))
    shown = counts.reshape(n_classes, n_values + 1)[:, :n_values] + PSEUDO_COUNT
    shares: Floats = shown / shown.sum(axis=1, keepdims=True)
    return shares
