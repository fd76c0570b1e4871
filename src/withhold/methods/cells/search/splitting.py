"""Rows into groups, from the top down: cut where it saves most, as long as both sides are valid groups.

As Mondrian does (LeFevre et al. 2006, relaxed), but every cut of every column is tried, and the one that
leaves the lowest cost is taken. The categories of a column are ordered by their frequency in the group.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel, routine, step
from withhold.methods.cells.boxes import Axes, add_row, clear_box, cost_of_box
from withhold.methods.cells.search.limits import Limits, shortfall

WAITING, DONE = 0, 1
"""Places in ``SplitScratch.numbers``."""
LEFT, RIGHT, NO_ROWS = 0, 1, 2
"""The sides of a cut; in ``SplitScratch.counts`` also a group without rows."""


class Rows(NamedTuple):
    """The rows of a table, and what their groups must be like."""

    axes: Axes
    cells: Any
    """By row and column: the slot of the value, int32."""
    sensitive: Any
    """By row and sensitive column: the value, all columns in one numbering, int64."""
    limits: Limits
    k: Any


class SplitScratch(NamedTuple):
    """Rows that are being split, and scratch for that."""

    rows: Any
    """In the order of their groups, int64."""
    sorted: Any
    """The rows of the current group by one column, int64."""
    best: Any
    """The same by the column with the best cut so far, int64."""
    costs: Any
    """By number of rows: what that many first rows cost as one group, int64."""
    tallies: Any
    """By slot: how many rows have it; 0 between two uses, int64."""
    found: Any
    """The slots that occur, int64."""
    keys: Any
    """By slot: first its sort key, then where its next row goes, int64."""
    boxes: Any
    """By side: its box, int64."""
    counts: Any
    """By side: how many rows have each sensitive value, int64; the last entry stays 0."""
    starts: Any
    """Of the groups that wait to be split, int64."""
    ends: Any
    cuts: Any
    """The ends of the groups that are done, ascending, int64."""
    numbers: Any
    """How many groups wait, and how many are done, int64."""


def make_split_scratch(rows: Rows, n_rows: int) -> SplitScratch:
    """Scratch to split ``n_rows`` rows; the first ones of the table wait as one group."""
    n_slots, n_groups = len(rows.axes.places), n_rows // rows.k + 1
    many = {name: np.zeros(n_rows + 1, dtype=np.int64) for name in ("sorted", "best", "costs")}
    slots = {name: np.zeros(n_slots, dtype=np.int64) for name in ("tallies", "found", "keys")}
    groups = {name: np.zeros(n_groups + 1, dtype=np.int64) for name in ("starts", "ends", "cuts")}
    groups["ends"][0] = n_rows
    return SplitScratch(
        rows=np.arange(n_rows + 1, dtype=np.int64),
        **many,
        **slots,
        boxes=np.zeros((2, int(rows.axes.words[-1])), dtype=np.int64),
        counts=np.zeros((3, len(rows.limits.totals)), dtype=np.int64),
        **groups,
        numbers=np.array([1, 0], dtype=np.int64),
    )


@step
def begin_split(scratch, n_rows):
    """Make the first ``n_rows`` rows of ``scratch.rows`` the one group that waits."""
    scratch.starts[0], scratch.ends[0] = 0, n_rows
    scratch.numbers[WAITING], scratch.numbers[DONE] = 1, 0


@kernel
def split_rows(rows, scratch, steps):
    """Process ``steps`` of the groups that wait to be split; how many wait then."""
    while scratch.numbers[WAITING] > 0 and steps > 0:
        split_next(rows, scratch)
        steps -= 1
    return scratch.numbers[WAITING]


@routine
def split_next(rows, scratch):
    """Split the last of the groups that wait, if that saves anything; else it is done."""
    scratch.numbers[WAITING] -= 1
    last = scratch.numbers[WAITING]
    start, end = scratch.starts[last], scratch.ends[last]
    cut = _best_cut(rows, scratch, start, end) if end - start >= 2 * rows.k else start
    if cut == start:
        scratch.cuts[scratch.numbers[DONE]] = end
        scratch.numbers[DONE] += 1
        return
    for at in range(start, end):
        scratch.rows[at] = scratch.best[at]
    # The left one is split next, so that groups are done from left to right.
    scratch.starts[last], scratch.ends[last] = cut, end
    scratch.starts[last + 1], scratch.ends[last + 1] = start, cut
    scratch.numbers[WAITING] += 2


@step
def _best_cut(rows, scratch, start, end):
    """Where the right side of the best cut begins in ``scratch.best``; ``start`` if none saves anything."""
    clear_box(rows.axes, scratch.boxes, LEFT)
    for at in range(start, end):
        add_row(rows.axes, scratch.boxes, LEFT, rows.cells, scratch.rows[at])
    own = cost_of_box(rows.axes, scratch.boxes, LEFT) * (end - start)
    best, saved = start, np.int64(0)
    n_columns = len(rows.axes.steps) if own > 0 else 0
    for j in range(n_columns):
        if _sort_by(rows, scratch, start, end, j):
            _add_up(rows, scratch, start, end)
            clear_box(rows.axes, scratch.boxes, RIGHT)
            found = False
            for cut in range(end - 1, start + rows.k - 1, -1):
                row = scratch.sorted[cut]
                add_row(rows.axes, scratch.boxes, RIGHT, rows.cells, row)
                for s in range(rows.sensitive.shape[1]):
                    scratch.counts[LEFT, rows.sensitive[row, s]] -= 1
                    scratch.counts[RIGHT, rows.sensitive[row, s]] += 1
                if end - cut >= rows.k:
                    right = cost_of_box(rows.axes, scratch.boxes, RIGHT) * (end - cut)
                    gain = own - scratch.costs[cut - start] - right
                    if gain > saved and _both_valid(rows, scratch, cut - start, end - cut):
                        best, saved, found = cut, gain, True
            if found:
                for at in range(start, end):
                    scratch.best[at] = scratch.sorted[at]
    return best


@step
def _both_valid(rows, scratch, n_left, n_right):
    """Whether both sides meet the requirements on sensitive columns."""
    if rows.sensitive.shape[1] == 0:
        return True
    limits, counts = rows.limits, scratch.counts
    left = shortfall(limits, counts, np.int64(LEFT), np.int64(NO_ROWS), n_left)
    return left == 0.0 and (
        shortfall(limits, counts, np.int64(RIGHT), np.int64(NO_ROWS), n_right) == 0.0
    )


@step
def _add_up(rows, scratch, start, end):
    """Fill ``costs`` with what the first rows cost as a group, for each number of them.

    All sensitive values are counted on the left side.
    """
    clear_box(rows.axes, scratch.boxes, RIGHT)
    for value in range(scratch.counts.shape[1]):
        scratch.counts[LEFT, value] = 0
        scratch.counts[RIGHT, value] = 0
    for at in range(start, end):
        row = scratch.sorted[at]
        add_row(rows.axes, scratch.boxes, RIGHT, rows.cells, row)
        scratch.costs[at - start + 1] = cost_of_box(rows.axes, scratch.boxes, RIGHT) * (
            at - start + 1
        )
        for s in range(rows.sensitive.shape[1]):
            scratch.counts[LEFT, rows.sensitive[row, s]] += 1


@step
def _sort_by(rows, scratch, start, end, j):
    """Sort the rows by their values in a column, stably; False if all values are equal."""
    n_found = 0
    for at in range(start, end):
        slot = rows.cells[scratch.rows[at], j]
        if scratch.tallies[slot] == 0:
            scratch.found[n_found] = slot
            n_found += 1
        scratch.tallies[slot] += 1
    by_frequency = rows.axes.steps[j] > 0
    for number in range(n_found):
        slot = scratch.found[number]
        # The most frequent first, then the lower slot; tallies are below 2^31.
        rank = (2**31 - scratch.tallies[slot]) << 31 if by_frequency else np.int64(0)
        scratch.keys[slot] = rank + slot
    _sort_slots(scratch, n_found)
    before = np.int64(start)
    for number in range(n_found):
        slot = scratch.found[number]
        scratch.keys[slot] = before
        before += scratch.tallies[slot]
        scratch.tallies[slot] = 0
    for at in range(start, end):
        row = scratch.rows[at]
        slot = rows.cells[row, j]
        scratch.sorted[scratch.keys[slot]] = row
        scratch.keys[slot] += 1
    return n_found > 1


@step
def _sort_slots(scratch, n_found):
    """Sort the slots that were found by their keys (Shellsort: no recursion, no extra memory)."""
    gap = 1
    while 3 * gap < n_found:
        gap = 3 * gap + 1
    while gap > 0:
        for number in range(gap, n_found):
            slot = scratch.found[number]
            at = number
            while at >= gap and scratch.keys[scratch.found[at - gap]] > scratch.keys[slot]:
                scratch.found[at] = scratch.found[at - gap]
                at -= gap
            scratch.found[at] = slot
        gap //= 3
