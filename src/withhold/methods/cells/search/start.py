"""What merging starts from and ends with: what a table shows, what cells cost, what was merged into what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from withhold.data import Table
from withhold.data.array_types import Ints, Longs
from withhold.data.forest import Forest
from withhold.data.table import WITHHELD
from withhold.method import SearchRun
from withhold.methods.cells.model import KAnonymity
from withhold.methods.cells.nodes import NOBODY
from withhold.methods.cells.search.costs import Costs
from withhold.methods.cells.search.tuples import RISKY

PSEUDO_COUNT = 0.1
"""α: added to every count, so that a value that no row shows does not make the divergence infinite."""
BALANCE = 100
"""λ: the weight of the divergence relative to the cells themselves (``hybrid``)."""
STEPS_AT_A_TIME = 500
"""Steps of merging between two chances to stop."""


@dataclass(frozen=True)
class Shown:
    """What a table shows before anything is merged."""

    classes: Ints
    """By row: its class."""
    exact: Longs
    """By class and node: how many rows show this value; 0 for inner nodes."""
    by_column: Longs
    """By class and column: how many rows show a value at all."""

    @classmethod
    def of(cls, table: Table, model: KAnonymity, forest: Forest) -> Shown:
        """How many rows of each class show each value."""
        classes = _codes(table, model.label)
        n_classes, n_nodes = int(classes.max()) + 1, len(forest.trees.parents)
        keys = classes[:, None].astype(np.int64) * n_nodes + forest.nodes
        counts = np.bincount(keys.ravel(), minlength=n_classes * n_nodes)
        exact = counts.reshape(n_classes, n_nodes)
        exact[:, ~forest.trees.leaves] = 0
        return cls(classes, exact, np.add.reduceat(exact, forest.bounds[:-1], axis=1))


def make_costs(start: Shown, forest: Forest, cost: str) -> Costs:
    """The numbers from which a cost is computed, given what is shown at first."""
    exact, shown, n_rows = start.exact, start.by_column, len(start.classes)
    trees = forest.trees
    n_values = np.bincount(trees.columns[trees.leaves], minlength=shown.shape[1])
    # A column that shows nothing at all has no values.
    spread = PSEUDO_COUNT * np.maximum(n_values, 1).astype(np.float64)
    shares = (exact + PSEUDO_COUNT) / (shown + spread)[:, trees.columns]
    shares[:, ~trees.leaves] = 0.0
    weights = np.bincount(start.classes, minlength=len(exact)) / n_rows
    linear = {
        "ham": forest.losses,
        "hybrid": forest.losses,
        "info": forest.information(exact.sum(axis=0)),
        "mar": np.zeros(len(forest.losses)),
    }[cost]
    divergent = {"mar": 1.0, "hybrid": float(BALANCE * n_rows)}.get(cost, 0.0)
    # Without a divergence there is nothing to look up but the number of columns.
    n_totals = int(shown.max(initial=0)) + 1 if divergent else 1
    return Costs(
        linear=linear,
        divergent=np.array([divergent]),
        shares=np.ascontiguousarray(shares),
        weights=weights,
        logs=np.log(np.arange(int(exact.max(initial=0)) + 1) + PSEUDO_COUNT),
        totals=np.log(np.arange(n_totals) + spread[:, None]),
    )


def make_numbers(risky: int, seed: int, *others: int) -> Longs:
    """The numbers that kernels change: how many are risky, the state of the draw, and others."""
    # The seed is reduced to 64 bits, which the draw then mixes.
    return np.array([risky, seed % 2**64, *others], dtype=np.uint64).astype(np.int64)


def merge_until_done(merge: Callable[[int], int], numbers: Longs, run: SearchRun) -> None:
    """Merge until nothing is risky; ``merge(n)`` takes at most n steps, and returns what is left."""
    at_first = left = int(numbers[RISKY])
    while left:
        run.progress("merging rows", max(at_first - left, 0), at_first)
        left = merge(STEPS_AT_A_TIME)


def final_ids(into: Ints) -> Longs:
    """What each was finally merged into; itself, if it was not."""
    last = np.where(into == NOBODY, np.arange(len(into)), into).astype(np.int64)
    while (last != last[last]).any():
        last = last[last]
    return last


def _codes(table: Table, name: str | None) -> Ints:
    """A column's codes from 0 on, a withheld cell's after all others; all 0 without a column."""
    if name is None:
        return np.zeros(len(table), dtype=np.int32)
    column = table.column(name)
    return np.where(column.codes == WITHHELD, len(column.values), column.codes).astype(np.int32)
