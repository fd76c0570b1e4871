"""Better groups of rows: rows move to neighbouring groups.

Every state in between is valid: all groups keep at least k rows and meet the requirements. A row moves only
if that saves something.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.bits import count_bits
from withhold.counting.jit import kernel, routine, step
from withhold.methods.cells.boxes import BITS, UNIT, set_width
from withhold.methods.cells.nodes import NOBODY
from withhold.methods.cells.search.limits import shortfall
from withhold.methods.cells.search.row_groups import join_group, leave_group, measure_group
from withhold.methods.cells.search.splitting import Rows

INFINITY = 2**62


class MoveScratch(NamedTuple):
    """What is known of the current group: enough to cost it without any one of its rows."""

    tallies: Any
    """By slot: how many of its rows have the value; 0 between two groups, int64."""
    ends: Any
    """By column: the second lowest and the second highest place that occur, int64."""


def make_move_scratch(rows: Rows) -> MoveScratch:
    """Scratch for one group at a time."""
    return MoveScratch(
        tallies=np.zeros(len(rows.axes.places), dtype=np.int64),
        ends=np.zeros((len(rows.axes.steps), 2), dtype=np.int64),
    )


@kernel
def move_rows(rows, groups, near, scratch, first, end):
    """Move rows of some groups to the neighbouring group where that saves most; what it saved."""
    saved = np.int64(0)
    for group in range(first, end):
        if groups.sizes[group] > rows.k and groups.costs[group] > 0:
            _tally(rows, groups, scratch, group, 1)
            row = groups.heads[group]
            while row != NOBODY and groups.sizes[group] > rows.k:
                following = groups.following[row]
                target, gain = _best_target(rows, groups, near, scratch, row)
                if target != NOBODY:
                    saved += gain
                    _tally(rows, groups, scratch, group, -1)
                    leave_group(rows, groups, row)
                    join_group(rows, groups, row, target)
                    measure_group(rows, groups, group)
                    measure_group(rows, groups, target)
                    _tally(rows, groups, scratch, group, 1)
                row = following
            _tally(rows, groups, scratch, group, -1)
    return saved


@routine
def _tally(rows, groups, scratch, group, by):
    """Add the rows of a group to the tallies, or take them off again; find the second ends of its ranges."""
    axes = rows.axes
    for j in range(len(axes.steps)):
        scratch.ends[j, 0], scratch.ends[j, 1] = INFINITY, -INFINITY
        first = axes.words[j]
        row = groups.heads[group]
        while row != NOBODY:
            slot = rows.cells[row, j]
            scratch.tallies[slot] += by
            if axes.steps[j] == 0:
                place = axes.places[slot]
                if place > groups.boxes[group, first]:
                    scratch.ends[j, 0] = min(scratch.ends[j, 0], place)
                if place < groups.boxes[group, first + 1]:
                    scratch.ends[j, 1] = max(scratch.ends[j, 1], place)
            row = groups.following[row]


@routine
def _best_target(rows, groups, near, scratch, row):
    """The neighbouring group that a row should move to, or -1, and what that saves."""
    group = groups.of_row[row]
    n_left = groups.sizes[group] - 1
    spared = groups.costs[group] * (n_left + 1) - _cost_without(rows, groups, scratch, row) * n_left
    best, saved = np.int64(NOBODY), np.int64(0)
    if spared <= 0 or not _may_leave_group(rows, groups, row):
        return best, saved
    run, last = near.of_row[row], group
    for other in range(max(run - near.window, 0), min(run + near.window + 1, len(near.runs))):
        target = groups.of_row[near.runs[other]]
        if target != last and target != group:
            n, cost = groups.sizes[target], groups.costs[target]
            # Above this cost with the row, the target saves no more than the best one so far.
            limit = (spared + cost * n - saved) // (n + 1)
            with_row = _cost_with(rows, groups, target, row, limit)
            gain = spared + cost * n - with_row * (n + 1)
            if gain > saved and _may_join_group(rows, groups, row, target):
                best, saved = target, gain
        last = target
    return best, saved


@step
def _cost_without(rows, groups, scratch, row):
    """What each other row of this row's group costs once this one has left."""
    axes, group, cost = rows.axes, groups.of_row[row], np.int64(0)
    for j in range(len(axes.steps)):
        slot = rows.cells[row, j]
        width = groups.widths[group, j]
        if scratch.tallies[slot] == 1 and width > 0:
            first, place = axes.words[j], axes.places[slot]
            if axes.steps[j] == 0:
                low, high = groups.boxes[group, first], groups.boxes[group, first + 1]
                low = scratch.ends[j, 0] if place == low else low
                high = scratch.ends[j, 1] if place == high else high
                width = min(high - low, UNIT)
            else:
                n_values = np.int64(0)
                for word in range(first, axes.words[j + 1]):
                    n_values += np.int64(count_bits(np.uint64(groups.boxes[group, word])))
                left = groups.boxes[group, first]
                if place < BITS:
                    left &= ~(np.int64(1) << place)
                width = set_width(n_values - 1, left, axes.steps[j])
        cost += width
    return cost


@step
def _cost_with(rows, groups, target, row, limit):
    """What each row of the target group costs with this row in it; above ``limit``, perhaps only a part."""
    axes, cost = rows.axes, np.int64(0)
    for j in range(len(axes.steps)):
        first, place = axes.words[j], axes.places[rows.cells[row, j]]
        if axes.steps[j] == 0:
            low = min(groups.boxes[target, first], place)
            high = max(groups.boxes[target, first + 1], place)
            cost += min(high - low, UNIT)
        elif groups.boxes[target, first + place // BITS] >> (place % BITS) & 1:
            cost += groups.widths[target, j]
        else:
            word = groups.boxes[target, first]
            if place < BITS:
                word |= np.int64(1) << place
            n_values = groups.widths[target, j] // axes.steps[j] + 2
            cost += set_width(n_values, word, axes.steps[j])
        if cost > limit:
            return cost
    return cost


@step
def _may_leave_group(rows, groups, row):
    """Whether the group of a row meets the requirements on sensitive columns without it."""
    if rows.sensitive.shape[1] == 0:
        return True
    group, no_rows = groups.of_row[row], np.int64(len(groups.sizes))
    for s in range(rows.sensitive.shape[1]):
        groups.counts[group, rows.sensitive[row, s]] -= 1
    lacks = shortfall(rows.limits, groups.counts, group, no_rows, groups.sizes[group] - 1)
    for s in range(rows.sensitive.shape[1]):
        groups.counts[group, rows.sensitive[row, s]] += 1
    return lacks == 0.0


@step
def _may_join_group(rows, groups, row, target):
    """Whether the target group meets the requirements on sensitive columns with this row."""
    if rows.sensitive.shape[1] == 0:
        return True
    no_rows = np.int64(len(groups.sizes))
    for s in range(rows.sensitive.shape[1]):
        groups.counts[target, rows.sensitive[row, s]] += 1
    lacks = shortfall(rows.limits, groups.counts, target, no_rows, groups.sizes[target] + 1)
    for s in range(rows.sensitive.shape[1]):
        groups.counts[target, rows.sensitive[row, s]] -= 1
    return lacks == 0.0
