"""Better groups of rows: a group and its nearest neighbours are pooled and split again.

The new groups are taken only if they cost less; no split leaves a group with fewer than k rows.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel, routine, step
from withhold.methods.cells.boxes import add_row, clear_box, cost_of_box, cost_together
from withhold.methods.cells.nodes import NOBODY
from withhold.methods.cells.search.row_groups import (
    FREE,
    STAMP,
    join_group,
    leave_group,
    measure_group,
)
from withhold.methods.cells.search.splitting import DONE, WAITING, begin_split, split_next

TOGETHER = 6
"""At most this many neighbours are split again together with a group."""
INFINITY = 2**62


class Nearest(NamedTuple):
    """The nearest neighbours of a group, and what a row costs that shows the union of both."""

    groups: Any
    """Nearest first, int64."""
    costs: Any


def make_nearest() -> Nearest:
    """Scratch for one group at a time."""
    return Nearest(np.zeros(TOGETHER, dtype=np.int64), np.zeros(TOGETHER, dtype=np.int64))


@kernel
def split_again(rows, groups, near, nearest, split, first, end):
    """Split groups again, each with its nearest neighbours, if that saves something; what it saved."""
    saved = np.int64(0)
    for group in range(first, end):
        if 0 < groups.sizes[group] <= len(split.rows) // 2 and groups.costs[group] > 0:
            n_near = _nearest(rows, groups, near, nearest, group)
            before, n_rows = _pool(groups, nearest, split, group, n_near)
            begin_split(split, n_rows)
            while split.numbers[WAITING] > 0:
                split_next(rows, split)
            gain = before - _cost_of_split(rows, split)
            if gain > 0:
                saved += gain
                _regroup(rows, groups, split)
    return saved


@routine
def _nearest(rows, groups, near, nearest, group):
    """Find the neighbours of a group that are cheapest together with it; how many there are."""
    groups.numbers[STAMP] += 1
    stamp = groups.numbers[STAMP]
    groups.stamps[group] = stamp
    n_near, row = 0, groups.heads[group]
    while row != NOBODY:
        run = near.of_row[row]
        for other in range(max(run - near.window, 0), min(run + near.window + 1, len(near.runs))):
            target = groups.of_row[near.runs[other]]
            if groups.stamps[target] != stamp:
                groups.stamps[target] = stamp
                limit = INFINITY if n_near < TOGETHER else nearest.costs[TOGETHER - 1]
                cost = cost_together(rows.axes, groups.boxes, group, target, limit)
                if cost < limit:
                    n_near = min(n_near + 1, TOGETHER)
                    at = n_near - 1
                    while at > 0 and nearest.costs[at - 1] > cost:
                        nearest.costs[at] = nearest.costs[at - 1]
                        nearest.groups[at] = nearest.groups[at - 1]
                        at -= 1
                    nearest.costs[at], nearest.groups[at] = cost, target
        row = groups.following[row]
    return n_near


@step
def _pool(groups, nearest, split, group, n_near):
    """Collect the rows of a group and its neighbours, as far as there is room; their cost and number."""
    n_rows, cost = np.int64(0), np.int64(0)
    for at in range(-1, n_near):
        one = group if at < 0 else nearest.groups[at]
        if n_rows + groups.sizes[one] < len(split.rows):
            cost += groups.costs[one] * groups.sizes[one]
            row = groups.heads[one]
            while row != NOBODY:
                split.rows[n_rows] = row
                n_rows += 1
                row = groups.following[row]
    return cost, n_rows


@step
def _cost_of_split(rows, split):
    """What all groups of a split cost."""
    cost, start = np.int64(0), np.int64(0)
    for number in range(split.numbers[DONE]):
        clear_box(rows.axes, split.boxes, 0)
        for at in range(start, split.cuts[number]):
            add_row(rows.axes, split.boxes, 0, rows.cells, split.rows[at])
        cost += cost_of_box(rows.axes, split.boxes, 0) * (split.cuts[number] - start)
        start = split.cuts[number]
    return cost


@step
def _regroup(rows, groups, split):
    """Replace the groups that the rows of a split are in by the new ones."""
    for at in range(split.cuts[split.numbers[DONE] - 1]):
        group = groups.of_row[split.rows[at]]
        leave_group(rows, groups, split.rows[at])
        if groups.sizes[group] == 0:
            groups.free[groups.numbers[FREE]] = group
            groups.numbers[FREE] += 1
    start = 0
    for number in range(split.numbers[DONE]):
        groups.numbers[FREE] -= 1
        group = groups.free[groups.numbers[FREE]]
        for at in range(start, split.cuts[number]):
            join_group(rows, groups, split.rows[at], group)
        measure_group(rows, groups, group)
        start = split.cuts[number]
