"""Groups of rows that change: which rows are in which group, what each shows, and which are neighbours.

Neighbours are rows that are near each other in a sorted order, each time with the columns in another order.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel, step
from withhold.methods.cells.boxes import add_row, clear_box, width_of
from withhold.methods.cells.nodes import NOBODY
from withhold.methods.cells.search.splitting import Rows

FREE, STAMP = 0, 1


class RowGroups(NamedTuple):
    """Groups of rows, each a linked list; groups without rows are free."""

    of_row: Any
    """By row: its group, int64."""
    heads: Any
    """By group: one of its rows; the others follow it, int64."""
    following: Any
    """By row: the next and the previous row of its group, or -1, int64."""
    previous: Any
    sizes: Any
    """By group: how many rows, int64."""
    boxes: Any
    """By group: what its rows show together, int64."""
    widths: Any
    """By group and column: what a cell costs, int64."""
    costs: Any
    """By group: what a row costs, int64."""
    counts: Any
    """By group: how many rows have each sensitive value, int64; the last entry is of no group and stays 0."""
    free: Any
    """Groups without rows, int64."""
    stamps: Any
    """By group: the last search for neighbours that met it, int64."""
    numbers: Any
    """How many groups are free, and the last stamp, int64."""


class Neighbours(NamedTuple):
    """Rows in some order; consecutive rows of one group are a run."""

    runs: Any
    """By run: one of its rows, int64."""
    of_row: Any
    """By row: its run, int64."""
    window: Any
    """How many runs on each side are neighbours."""


def make_groups(rows: Rows, of_row: Any) -> RowGroups:
    """The groups of the rows, numbered from 0 on, and room for as many as there can be."""
    n, most = len(of_row), max(len(of_row) // rows.k, int(of_row.max()) + 1)
    n_columns = len(rows.axes.steps)
    groups = RowGroups(
        of_row=of_row.astype(np.int64),
        heads=np.full(most, NOBODY, dtype=np.int64),
        following=np.full(n, NOBODY, dtype=np.int64),
        previous=np.full(n, NOBODY, dtype=np.int64),
        sizes=np.zeros(most, dtype=np.int64),
        boxes=np.zeros((most, int(rows.axes.words[-1])), dtype=np.int64),
        widths=np.zeros((most, n_columns), dtype=np.int64),
        costs=np.zeros(most, dtype=np.int64),
        counts=np.zeros((most + 1, len(rows.limits.totals)), dtype=np.int64),
        free=np.zeros(most, dtype=np.int64),
        stamps=np.zeros(most, dtype=np.int64),
        numbers=np.zeros(2, dtype=np.int64),
    )
    fill_groups(rows, groups)
    return groups


def find_neighbours(groups: RowGroups, order: Any, window: int) -> Neighbours:
    """Neighbours of the rows in this order."""
    inside = groups.of_row[order]
    begins = np.append(True, inside[1:] != inside[:-1])
    of_row = np.empty(len(order), dtype=np.int64)
    of_row[order] = np.cumsum(begins) - 1
    return Neighbours(order[begins].astype(np.int64), of_row, window)


@kernel
def fill_groups(rows, groups):
    """Put every row into the list of its group, and measure all groups."""
    for row in range(len(groups.of_row)):
        join_group(rows, groups, row, groups.of_row[row])
    for group in range(len(groups.sizes)):
        if groups.sizes[group] > 0:
            measure_group(rows, groups, group)
        else:
            groups.free[groups.numbers[FREE]] = group
            groups.numbers[FREE] += 1


@step
def join_group(rows, groups, row, group):
    """Put a row at the head of a group; its box is not changed."""
    head = groups.heads[group]
    groups.following[row], groups.previous[row] = head, NOBODY
    if head != NOBODY:
        groups.previous[head] = row
    groups.heads[group] = row
    groups.of_row[row] = group
    groups.sizes[group] += 1
    for s in range(rows.sensitive.shape[1]):
        groups.counts[group, rows.sensitive[row, s]] += 1


@step
def leave_group(rows, groups, row):
    """Take a row out of its group; its box is not changed."""
    group, after, before = groups.of_row[row], groups.following[row], groups.previous[row]
    if before != NOBODY:
        groups.following[before] = after
    else:
        groups.heads[group] = after
    if after != NOBODY:
        groups.previous[after] = before
    groups.sizes[group] -= 1
    for s in range(rows.sensitive.shape[1]):
        groups.counts[group, rows.sensitive[row, s]] -= 1


@step
def measure_group(rows, groups, group):
    """The box of a group, and what it costs."""
    clear_box(rows.axes, groups.boxes, group)
    row = groups.heads[group]
    while row != NOBODY:
        add_row(rows.axes, groups.boxes, group, rows.cells, row)
        row = groups.following[row]
    groups.costs[group] = 0
    for j in range(len(rows.axes.steps)):
        groups.widths[group, j] = width_of(rows.axes, groups.boxes, group, j)
        groups.costs[group] += groups.widths[group, j]
