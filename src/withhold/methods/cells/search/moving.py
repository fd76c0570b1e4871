"""Better groups of rows: rows move to neighbouring groups, and neighbouring groups are split again together.

Neighbours are found by sorting the rows, each time by other columns: what stands near a row is like it. Every
state in between is right: a group keeps k rows and what it must show, and a change is made only if it saves
something.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.bits import count_bits
from withhold.counting.jit import kernel, routine, step
from withhold.methods.cells.boxes import (
    BITS,
    UNIT,
    add_row,
    clear_box,
    cost_of_box,
    cost_together,
    set_width,
    width_of,
)
from withhold.methods.cells.nodes import NOBODY
from withhold.methods.cells.search.limits import shortfall
from withhold.methods.cells.search.splitting import DONE, WAITING, Rows, begin_split, split_next

TOGETHER = 6
"""So many neighbours are split again together with a group."""
FREE, STAMP = 0, 1
ENDLESS = 2**62


class RowGroups(NamedTuple):
    """Groups of rows; those without rows are free."""

    of_row: Any
    """By row: its group, int64."""
    heads: Any
    """By group: one of its rows; the others follow it, int64."""
    following: Any
    """By row: another row of its group, or -1, int64."""
    previous: Any
    sizes: Any
    boxes: Any
    """By group: what its rows show together, int64."""
    widths: Any
    """By group and column: what a cell costs, int64."""
    costs: Any
    """By group: what a row costs, int64."""
    counts: Any
    """By group: how many rows have each sensitive value, int64; one group more stays empty."""
    free: Any
    """Groups without rows, int64."""
    stamps: Any
    """By group: the last one for which it was looked at as a neighbour, int64."""
    numbers: Any
    """How many groups are free, and the last stamp, int64."""


class Neighbours(NamedTuple):
    """Rows in some order, those of one group that follow each other being one run."""

    runs: Any
    """By run: one of its rows, int64."""
    of_row: Any
    """By row: its run, int64."""
    window: Any
    """So many runs on each side are neighbours."""


class MoveRoom(NamedTuple):
    """What is known of the group whose rows are looked at."""

    tallies: Any
    """By slot: how many of its rows have the value; 0 between two groups, int64."""
    ends: Any
    """By column: the second lowest and the second highest place, int64."""
    near: Any
    """The nearest neighbours, and what a row costs that shows both together, int64."""
    near_costs: Any


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


def make_move_room(rows: Rows) -> MoveRoom:
    """Room for one group at a time."""
    return MoveRoom(
        tallies=np.zeros(len(rows.axes.places), dtype=np.int64),
        ends=np.zeros((len(rows.axes.steps), 2), dtype=np.int64),
        near=np.zeros(TOGETHER, dtype=np.int64),
        near_costs=np.zeros(TOGETHER, dtype=np.int64),
    )


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
        _join(rows, groups, row, groups.of_row[row])
    for group in range(len(groups.sizes)):
        if groups.sizes[group] > 0:
            _measure(rows, groups, group)
        else:
            groups.free[groups.numbers[FREE]] = group
            groups.numbers[FREE] += 1


@step
def _join(rows, groups, row, group):
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
def _leave(rows, groups, row):
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
def _measure(rows, groups, group):
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


@kernel
def move_rows(rows, groups, near, room, first, end):
    """Let the rows of some groups move to neighbours where that saves most; what it saved."""
    saved = np.int64(0)
    for group in range(first, end):
        if groups.sizes[group] > rows.k and groups.costs[group] > 0:
            _tally(rows, groups, room, group, 1)
            row = groups.heads[group]
            while row != NOBODY and groups.sizes[group] > rows.k:
                following = groups.following[row]
                target, gain = _best_target(rows, groups, near, room, row)
                if target != NOBODY:
                    saved += gain
                    _tally(rows, groups, room, group, -1)
                    _leave(rows, groups, row)
                    _join(rows, groups, row, target)
                    _measure(rows, groups, group)
                    _measure(rows, groups, target)
                    _tally(rows, groups, room, group, 1)
                row = following
            _tally(rows, groups, room, group, -1)
    return saved


@routine
def _tally(rows, groups, room, group, by):
    """Add the rows of a group to the tallies, or take them off again; find the second ends of its ranges."""
    axes = rows.axes
    for j in range(len(axes.steps)):
        room.ends[j, 0], room.ends[j, 1] = ENDLESS, -ENDLESS
        first = axes.words[j]
        row = groups.heads[group]
        while row != NOBODY:
            slot = rows.cells[row, j]
            room.tallies[slot] += by
            if axes.steps[j] == 0:
                place = axes.places[slot]
                if place > groups.boxes[group, first]:
                    room.ends[j, 0] = min(room.ends[j, 0], place)
                if place < groups.boxes[group, first + 1]:
                    room.ends[j, 1] = max(room.ends[j, 1], place)
            row = groups.following[row]


@routine
def _best_target(rows, groups, near, room, row):
    """The neighbouring group that a row should move to, or -1, and what that saves."""
    group = groups.of_row[row]
    n_left = groups.sizes[group] - 1
    spared = groups.costs[group] * (n_left + 1) - _cost_without(rows, groups, room, row) * n_left
    best, saved = np.int64(NOBODY), np.int64(0)
    if spared <= 0 or not _may_leave(rows, groups, row):
        return best, saved
    run, last = near.of_row[row], group
    for other in range(max(run - near.window, 0), min(run + near.window + 1, len(near.runs))):
        target = groups.of_row[near.runs[other]]
        if target != last and target != group:
            n, cost = groups.sizes[target], groups.costs[target]
            # The target may cost so much with the row in it that just less is saved than before.
            limit = (spared + cost * n - saved) // (n + 1)
            with_row = _cost_with(rows, groups, target, row, limit)
            gain = spared + cost * n - with_row * (n + 1)
            if gain > saved and _may_join(rows, groups, row, target):
                best, saved = target, gain
        last = target
    return best, saved


@step
def _cost_without(rows, groups, room, row):
    """What a row costs in the group of this one without it."""
    axes, group, cost = rows.axes, groups.of_row[row], np.int64(0)
    for j in range(len(axes.steps)):
        slot = rows.cells[row, j]
        width = groups.widths[group, j]
        if room.tallies[slot] == 1 and width > 0:
            first, place = axes.words[j], axes.places[slot]
            if axes.steps[j] == 0:
                low, high = groups.boxes[group, first], groups.boxes[group, first + 1]
                low = room.ends[j, 0] if place == low else low
                high = room.ends[j, 1] if place == high else high
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
    """What a row costs in a group that this one has joined; something above ``limit`` once it is above."""
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
def _may_leave(rows, groups, row):
    """Whether a group still shows enough of the sensitive columns without this row of it."""
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
def _may_join(rows, groups, row, target):
    """Whether a group still shows enough of the sensitive columns with this row."""
    if rows.sensitive.shape[1] == 0:
        return True
    no_rows = np.int64(len(groups.sizes))
    for s in range(rows.sensitive.shape[1]):
        groups.counts[target, rows.sensitive[row, s]] += 1
    lacks = shortfall(rows.limits, groups.counts, target, no_rows, groups.sizes[target] + 1)
    for s in range(rows.sensitive.shape[1]):
        groups.counts[target, rows.sensitive[row, s]] -= 1
    return lacks == 0.0


@kernel
def split_again(rows, groups, near, room, split, first, end):
    """Split groups again, each with its nearest neighbours, where that saves something; what it saved."""
    saved = np.int64(0)
    for group in range(first, end):
        if 0 < groups.sizes[group] <= len(split.rows) // 2 and groups.costs[group] > 0:
            n_near = _nearest(rows, groups, near, room, group)
            before, n_rows = _pool(groups, room, split, group, n_near)
            begin_split(split, n_rows)
            while split.numbers[WAITING] > 0:
                split_next(rows, split)
            gain = before - _cost_of_split(rows, split)
            if gain > 0:
                saved += gain
                _regroup(rows, groups, split)
    return saved


@routine
def _nearest(rows, groups, near, room, group):
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
                limit = ENDLESS if n_near < TOGETHER else room.near_costs[TOGETHER - 1]
                cost = cost_together(rows.axes, groups.boxes, group, target, limit)
                if cost < limit:
                    n_near = min(n_near + 1, TOGETHER)
                    at = n_near - 1
                    while at > 0 and room.near_costs[at - 1] > cost:
                        room.near_costs[at] = room.near_costs[at - 1]
                        room.near[at] = room.near[at - 1]
                        at -= 1
                    room.near_costs[at], room.near[at] = cost, target
        row = groups.following[row]
    return n_near


@step
def _pool(groups, room, split, group, n_near):
    """Put the rows of a group and its neighbours together, as far as there is room; their cost and number."""
    n_rows, cost = np.int64(0), np.int64(0)
    for at in range(-1, n_near):
        one = group if at < 0 else room.near[at]
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
    """Make groups of a split instead of those that its rows are in."""
    for at in range(split.cuts[split.numbers[DONE] - 1]):
        group = groups.of_row[split.rows[at]]
        _leave(rows, groups, split.rows[at])
        if groups.sizes[group] == 0:
            groups.free[groups.numbers[FREE]] = group
            groups.numbers[FREE] += 1
    start = 0
    for number in range(split.numbers[DONE]):
        groups.numbers[FREE] -= 1
        group = groups.free[groups.numbers[FREE]]
        for at in range(start, split.cuts[number]):
            _join(rows, groups, split.rows[at], group)
        _measure(rows, groups, group)
        start = split.cuts[number]
