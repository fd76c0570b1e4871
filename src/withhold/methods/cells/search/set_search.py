"""Groups of rows whose cells become ranges and sets: split from the top down, then improved locally."""

from __future__ import annotations

import numpy as np

from withhold.data import Table
from withhold.data.array_types import Longs
from withhold.data.cell_plan import CellPlan
from withhold.method import SearchRun
from withhold.methods.cells.model import KAnonymity
from withhold.methods.cells.search.limits import make_limits, refuse_too_many
from withhold.methods.cells.search.moving import make_move_scratch, move_rows
from withhold.methods.cells.search.row_groups import RowGroups, find_neighbours, make_groups
from withhold.methods.cells.search.splitting import DONE, Rows, make_split_scratch, split_rows
from withhold.methods.cells.search.splitting_again import make_nearest, split_again
from withhold.methods.cells.sensitive import sensitive_columns
from withhold.methods.cells.set_columns import make_axes, plan_of_groups, set_columns

WINDOW = 10
"""This many groups on each side of a row are its neighbours, in each order."""
MOST_ROUNDS = 20
WORTH_A_ROUND, MOST_IDLE = 400, 2
"""A round is idle if it saved at most one part in 400 of the cost; after two in a row the search ends."""
POOLED, LEAST_POOL = 20, 100
"""Neighbouring groups are split again together if they have up to 20 k rows, or 100 if that is more."""
AT_A_TIME = 500
"""Groups between two calls of ``progress``."""


def cells_by_sets(table: Table, model: KAnonymity, run: SearchRun) -> CellPlan:
    """The plan that leaves every row with the ranges and sets of its group."""
    columns = set_columns(table, model.quasi_identifiers)
    axes, cells = make_axes(columns)
    sensitive = sensitive_columns(table, model)
    refuse_too_many(sensitive, len(table) // model.k)
    limits = make_limits(sensitive, model.requirements)
    values = [
        column.values + first for column, first in zip(sensitive, limits.starts, strict=False)
    ]
    shown = np.stack(values, axis=1) if values else np.empty((len(table), 0), dtype=np.int64)
    rows = Rows(axes, cells, np.ascontiguousarray(shown.astype(np.int64)), limits, model.k)
    groups = make_groups(rows, split_all(rows, run))
    improve(rows, groups, run)
    return plan_of_groups(table, columns, np.unique(groups.of_row, return_inverse=True)[1])


def split_all(rows: Rows, run: SearchRun) -> Longs:
    """By row: its group, after splitting all rows from the top down."""
    n = len(rows.cells)
    scratch = make_split_scratch(rows, n)
    while split_rows(rows, scratch, AT_A_TIME):
        run.progress("splitting rows", int(scratch.cuts[max(scratch.numbers[DONE] - 1, 0)]), n)
    cuts = scratch.cuts[: scratch.numbers[DONE]]
    of_row = np.empty(n, dtype=np.int64)
    of_row[scratch.rows[:n]] = np.repeat(np.arange(len(cuts)), np.diff(cuts, prepend=0))
    return of_row


def improve(rows: Rows, groups: RowGroups, run: SearchRun) -> None:
    """Move rows between groups and split neighbouring groups anew, until rounds save next to nothing."""
    draw = np.random.default_rng(run.seed % 2**64)
    changes = (
        (move_rows, (make_move_scratch(rows),)),
        (split_again, (make_nearest(), make_split_scratch(rows, max(POOLED * rows.k, LEAST_POOL)))),
    )
    idle = 0
    for number in range(MOST_ROUNDS):
        near = find_neighbours(groups, draw_order(rows, draw), WINDOW)
        saved = 0
        for change, scratch in changes:
            for first in range(0, len(groups.sizes), AT_A_TIME):
                run.progress("improving groups", number, MOST_ROUNDS)
                last = min(first + AT_A_TIME, len(groups.sizes))
                saved += change(rows, groups, near, *scratch, first, last)
        idle = 0 if saved * WORTH_A_ROUND > int((groups.costs * groups.sizes).sum()) else idle + 1
        if idle == MOST_IDLE:
            return


def draw_order(rows: Rows, draw: np.random.Generator) -> Longs:
    """The rows sorted by their columns, these in a random order; categories in a random order, too."""
    n_columns = len(rows.axes.steps)
    keys = []
    for j in draw.permutation(n_columns):
        slots = rows.cells[:, j] - rows.cells[:, j].min()
        if rows.axes.steps[j]:
            slots = draw.permutation(int(slots.max()) + 1)[slots]
        keys.append(slots)
    return np.lexsort(keys)
