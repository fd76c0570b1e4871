"""Cells by merging whole groups, for models that ask something of sensitive columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from withhold.data import Table
from withhold.data.array_types import Ints, Longs
from withhold.data.forest import Forest
from withhold.data.grouping import group_rows
from withhold.method import SearchRun
from withhold.methods.cells.model import KAnonymity
from withhold.methods.cells.nodes import NOBODY
from withhold.methods.cells.search.groups import MergedGroups, mark_groups, merge_groups
from withhold.methods.cells.search.limits import make_limits, refuse_too_many
from withhold.methods.cells.search.start import (
    Shown,
    final_ids,
    make_costs,
    make_numbers,
    merge_until_done,
)
from withhold.methods.cells.sensitive import Sensitive, sensitive_columns


def cells_by_groups(
    table: Table, model: KAnonymity, forest: Forest, cost: str, run: SearchRun
) -> Ints:
    """By row and column: the nodes after merging groups until each shows enough of the sensitive columns."""
    shown = Shown.of(table, model, forest)
    sensitive = sensitive_columns(table, model)
    limits = make_limits(sensitive, model.requirements)
    start = make_groups(forest, shown, sensitive, run.seed)
    mark_groups(start.groups, limits, model.k)
    rest = (forest.trees, make_costs(shown, forest, cost), limits, model.k)
    merge_until_done(partial(merge_groups, start.groups, *rest), start.groups.numbers, run)
    return start.final_cells()


@dataclass(frozen=True)
class TableGroups:
    """The groups of a table as the kernels want them, and the group of each row."""

    groups: MergedGroups
    of_row: Longs

    def final_cells(self) -> Ints:
        """The cells that each row has in the end."""
        cells: Ints = self.groups.cells[final_ids(self.groups.into)]
        return cells[self.of_row]


def make_groups(
    forest: Forest, shown: Shown, sensitive: Sequence[Sensitive], seed: int
) -> TableGroups:
    """The groups of the table, in the order of their cells."""
    columns = [forest.nodes[:, j] for j in range(forest.nodes.shape[1])]
    found = group_rows(columns, len(forest.nodes))
    n = len(found)
    n_values = [len(column.whole.totals) for column in sensitive]
    refuse_too_many(sensitive, n + 1)
    counts = np.zeros((n + 1, sum(n_values)), dtype=np.int32)
    for column, first in zip(sensitive, np.cumsum([0, *n_values]), strict=False):
        np.add.at(counts, (found.of_row, column.values + first), 1)
    classes = np.zeros((n, len(shown.exact)), dtype=np.int64)
    np.add.at(classes, (found.of_row, shown.classes), 1)
    everyone = np.arange(n, dtype=np.int32)
    nobody = {
        name: np.full(n, NOBODY, dtype=np.int32) for name in ("into", "risky", "risky_places")
    }
    return TableGroups(
        MergedGroups(
            cells=np.ascontiguousarray(forest.nodes[found.first_rows]),
            sizes=found.sizes.copy(),
            classes=classes,
            counts=counts,
            alive=everyone,
            alive_places=everyone.copy(),
            **nobody,
            exact=shown.exact,
            shown=shown.by_column,
            numbers=make_numbers(0, seed, n),
        ),
        found.of_row,
    )
