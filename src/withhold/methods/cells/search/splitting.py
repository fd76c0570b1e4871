"""Rows into groups, from the top down: where a cut saves most, as long as both sides are right.

As Mondrian does (LeFevre et al. 2006, relaxed), but every column and every cut is tried, and the one is taken
after which all cells together show most. Categories are ordered by how frequent they are in the group.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel, routine, step
from withhold.methods.cells.boxes import Axes, add_row, clear_box, cost_of_box
from withhold.methods.cells.search.limits import Limits, shortfall

WAITING, DONE = 0, 1
LEFT, RIGHT, NO_ROWS = 0, 1, 2


class Rows(NamedTuple):
    """The rows of a table, and what their groups must be like."""

    axes: Axes
    cells: Any
    """By row and column: the slot of the value, int32."""
    sensitive: Any
    """By row and sensitive column: the value, all columns in one numbering, int64."""
    limits: Limits
    k: Any


class SplitRoom(NamedTuple):
    """Rows that are being split, and scratch for that."""

    rows: Any
    """In the order of their groups, int64."""
    sorted: Any
    """The same by one column, int64."""
    best: Any
    """The same by the best column so far, int64."""
    costs: Any
    """What the first rows cost together, by how many they are, int64."""
    tallies: Any
    """By slot: rows, 0 between two uses, int64."""
    found: Any
    """The slots that occur, int64."""
    keys: Any
    """By slot: where it comes in the order, int64."""
    boxes: Any
    counts: Any
    """By side: how many rows have each sensitive value, int64; the last one stays empty."""
    starts: Any
    """Of the groups that wait to be split, int64."""
    ends: Any
    cuts: Any
    """The ends of the groups that are done, ascending, int64."""
    numbers: Any
    """How many groups wait, and how many are done, int64."""


def make_room(rows: Rows, n_rows: int) -> SplitRoom:
    """Room to split ``n_rows`` rows; at first the first ones of the table wait as one group."""
    n_slots, n_groups = len(rows.axes.places), n_rows // rows.k + 1
    many = {name: np.zeros(n_rows + 1, dtype=np.int64) for name in ("sorted", "best", "costs")}
    slots = {name: np.zeros(n_slots, dtype=np.int64) for name in ("tallies", "found", "keys")}
    groups = {name: np.zeros(n_groups + 1, dtype=np.int64) for name in ("starts", "ends", "cuts")}
    groups["ends"][0] = n_rows
    return SplitRoom(
        rows=np.arange(n_rows + 1, dtype=np.int64),
        **many,
        **slots,
        boxes=np.zeros((2, int(rows.axes.words[-1])), dtype=np.int64),
        counts=np.zeros((3, len(rows.limits.totals)), dtype=np.int64),
        **groups,
        numbers=np.array([1, 0], dtype=np.int64),
    )


@step
def begin_split(room, n_rows):
    """Let the first ``n_rows`` rows of the room wait as one group."""
    room.starts[0], room.ends[0] = 0, n_rows
    room.numbers[WAITING], room.numbers[DONE] = 1, 0


@kernel
def split_rows(rows, room, steps):
    """Split ``steps`` of the groups that wait; how many still wait."""
    while room.numbers[WAITING] > 0 and steps > 0:
        split_next(rows, room)
        steps -= 1
    return room.numbers[WAITING]


@routine
def split_next(rows, room):
    """Split the last of the groups that wait, if that saves anything; else it is done."""
    room.numbers[WAITING] -= 1
    last = room.numbers[WAITING]
    start, end = room.starts[last], room.ends[last]
    cut = _best_cut(rows, room, start, end) if end - start >= 2 * rows.k else start
    if cut == start:
        room.cuts[room.numbers[DONE]] = end
        room.numbers[DONE] += 1
        return
    for at in range(start, end):
        room.rows[at] = room.best[at]
    # The left one is split next, so that groups are done from left to right.
    room.starts[last], room.ends[last] = cut, end
    room.starts[last + 1], room.ends[last + 1] = start, cut
    room.numbers[WAITING] += 2


@step
def _best_cut(rows, room, start, end):
    """Where the right side of the best cut begins in ``room.best``; ``start`` if none saves anything."""
    clear_box(rows.axes, room.boxes, LEFT)
    for at in range(start, end):
        add_row(rows.axes, room.boxes, LEFT, rows.cells, room.rows[at])
    own = cost_of_box(rows.axes, room.boxes, LEFT) * (end - start)
    best, saved = start, np.int64(0)
    n_columns = len(rows.axes.steps) if own > 0 else 0
    for j in range(n_columns):
        if _sort_by(rows, room, start, end, j):
            _add_up(rows, room, start, end)
            clear_box(rows.axes, room.boxes, RIGHT)
            found = False
            for cut in range(end - 1, start + rows.k - 1, -1):
                row = room.sorted[cut]
                add_row(rows.axes, room.boxes, RIGHT, rows.cells, row)
                for s in range(rows.sensitive.shape[1]):
                    room.counts[LEFT, rows.sensitive[row, s]] -= 1
                    room.counts[RIGHT, rows.sensitive[row, s]] += 1
                if end - cut >= rows.k:
                    right = cost_of_box(rows.axes, room.boxes, RIGHT) * (end - cut)
                    gain = own - room.costs[cut - start] - right
                    if gain > saved and _both_right(rows, room, cut - start, end - cut):
                        best, saved, found = cut, gain, True
            if found:
                for at in range(start, end):
                    room.best[at] = room.sorted[at]
    return best


@step
def _both_right(rows, room, n_left, n_right):
    """Whether both sides show enough of the sensitive columns."""
    if rows.sensitive.shape[1] == 0:
        return True
    limits, counts = rows.limits, room.counts
    left = shortfall(limits, counts, np.int64(LEFT), np.int64(NO_ROWS), n_left)
    return left == 0.0 and (
        shortfall(limits, counts, np.int64(RIGHT), np.int64(NO_ROWS), n_right) == 0.0
    )


@step
def _add_up(rows, room, start, end):
    """What the first rows cost together, for every number of them; all sensitive values on the left side."""
    clear_box(rows.axes, room.boxes, RIGHT)
    for value in range(room.counts.shape[1]):
        room.counts[LEFT, value] = 0
        room.counts[RIGHT, value] = 0
    for at in range(start, end):
        row = room.sorted[at]
        add_row(rows.axes, room.boxes, RIGHT, rows.cells, row)
        room.costs[at - start + 1] = cost_of_box(rows.axes, room.boxes, RIGHT) * (at - start + 1)
        for s in range(rows.sensitive.shape[1]):
            room.counts[LEFT, rows.sensitive[row, s]] += 1


@step
def _sort_by(rows, room, start, end, j):
    """Sort the rows by their values in a column, equal ones as they were; False if all are equal."""
    n_found = 0
    for at in range(start, end):
        slot = rows.cells[room.rows[at], j]
        if room.tallies[slot] == 0:
            room.found[n_found] = slot
            n_found += 1
        room.tallies[slot] += 1
    by_frequency = rows.axes.steps[j] > 0
    for number in range(n_found):
        slot = room.found[number]
        # The most frequent first, and of those the first; tallies are below 2^31.
        rank = (2**31 - room.tallies[slot]) << 31 if by_frequency else np.int64(0)
        room.keys[slot] = rank + slot
    _sort_slots(room, n_found)
    before = np.int64(start)
    for number in range(n_found):
        slot = room.found[number]
        room.keys[slot] = before
        before += room.tallies[slot]
        room.tallies[slot] = 0
    for at in range(start, end):
        row = room.rows[at]
        slot = rows.cells[row, j]
        room.sorted[room.keys[slot]] = row
        room.keys[slot] += 1
    return n_found > 1


@step
def _sort_slots(room, n_found):
    """Sort the slots that were found by their keys (Shellsort: no recursion, no extra memory)."""
    gap = 1
    while 3 * gap < n_found:
        gap = 3 * gap + 1
    while gap > 0:
        for number in range(gap, n_found):
            slot = room.found[number]
            at = number
            while at >= gap and room.keys[room.found[at - gap]] > room.keys[slot]:
                room.found[at] = room.found[at - gap]
                at -= gap
            room.found[at] = slot
        gap //= 3
