"""How many sets that occur in some row contain a given one, in closed form.

A row with n further items, of which at most r can be added, gives W(n, r) sets (see ``tally``). Sets that
several rows hold are counted once, by inclusion and exclusion.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.bits import count_bits
from withhold.counting.jit import maker, step
from withhold.methods.coherence.search.tally import add_below, add_sets

FEW_ROWS = 7
"""Up to this many rows, a mole's supersets are counted in closed form; the work doubles with each row."""
MOST_TO_REDUCE = 512
"""Rows; above, comparing all with all takes longer than counting with them."""


class Scratch(NamedTuple):
    """What the count of moles knows of its path, and scratch."""

    on_path: Any
    """By item: whether it is on the path."""
    is_free: Any
    """By item: whether all rows of a set on the path hold it."""
    first_mole: Any
    """By size: from this child on, all are known to be moles."""
    holding: Any
    """By group of rows, as bits: how many items all of them hold."""
    lengths: Any
    """By row: how many items are left in it."""
    marks: Any
    """By row: a signature of these items in 63 bits, to rule out most comparisons."""


def new_scratch(n_items: int, largest: int) -> Scratch:
    """Scratch for one walk; no root is a mole."""
    return Scratch(
        np.zeros(n_items, dtype=np.bool_),
        np.zeros(n_items, dtype=np.bool_),
        np.ones(largest + 2, dtype=np.int64),
        np.zeros(1 << FEW_ROWS, dtype=np.int64),
        np.zeros(MOST_TO_REDUCE, dtype=np.int64),
        np.zeros(MOST_TO_REDUCE, dtype=np.int64),
    )


@maker
def keep_maximal(tour, walk, start, end, scratch):
    """Drop the rows whose remaining items another row contains; returns the new end.

    Among supersets of a mole it only matters whether some row holds a set, so these rows add nothing.
    """
    lengths = scratch.lengths
    marks = scratch.marks
    for j in range(end - start):
        mark = np.int64(0)
        begin = walk.pool_position[start + j] + 1
        last = tour.offsets[walk.pool_row[start + j] + 1]
        for q in range(begin, last):
            mark |= np.int64(1) << np.int64(tour.items[q] % 63)
        insert_by_length(walk, start, j, lengths, marks, last - begin, mark)
    kept = 0
    for j in range(end - start):
        inside = False
        for i in range(kept):
            if marks[j] & ~marks[i] == 0 and is_rest_inside(tour, walk, start + j, start + i):
                inside = True
                break
        if not inside:
            marks[kept] = marks[j]
            walk.pool_row[start + kept] = walk.pool_row[start + j]
            walk.pool_position[start + kept] = walk.pool_position[start + j]
            kept += 1
    return start + kept


@step
def insert_by_length(walk, start, j, lengths, marks, length, mark):
    """Insert row ``j`` into its place among those before it, longest first: there are few."""
    row = walk.pool_row[start + j]
    position = walk.pool_position[start + j]
    i = j
    while i > 0 and lengths[i - 1] < length:
        lengths[i] = lengths[i - 1]
        marks[i] = marks[i - 1]
        walk.pool_row[start + i] = walk.pool_row[start + i - 1]
        walk.pool_position[start + i] = walk.pool_position[start + i - 1]
        i -= 1
    lengths[i] = length
    marks[i] = mark
    walk.pool_row[start + i] = row
    walk.pool_position[start + i] = position


@step
def is_rest_inside(tour, walk, one, other):
    """Whether the other row's remaining items contain those of this one; both are places in the pool."""
    q = walk.pool_position[one] + 1
    last = tour.offsets[walk.pool_row[one] + 1]
    p = walk.pool_position[other] + 1
    other_last = tour.offsets[walk.pool_row[other] + 1]
    while q < last and p < other_last:
        if tour.items[q] == tour.items[p]:
            q += 1
        elif tour.items[q] < tour.items[p]:
            return False
        p += 1
    return q == last


@step
def count_supersets(tour, walk, tally, scratch, start, end, r, size):
    """Count the current set, a mole with at most FEW_ROWS rows (any number if r ≤ 1), and its supersets.

    They are added to the counts of items, and to the sets below the path without the set's last item.
    """
    item = walk.path[size - 1]
    n_free = tally.free_top[size - 1]
    if r == 0:
        add_sets(tally, tally.counts, item, 0, 0, 1)
        add_sets(tally, tally.total, size - 1, 0, 0, 1)
    elif end - start == 1:
        add_one_row(tour, walk, tally, scratch, start, r, size)
    elif r == 1:
        n = n_free
        for t in range(mark_rows(tour, walk, scratch, start, end, False)):
            add_sets(tally, tally.counts, walk.touched[t], 0, 0, 1)
            walk.bucket[walk.touched[t]] = 0
            n += 1
        # The mole itself and one superset for each item; not W(n, 1), as no single row holds all n items.
        add_sets(tally, tally.counts, item, 0, 0, 1 + n)
        add_sets(tally, tally.total, size - 1, 0, 0, 1 + n)
        add_sets(tally, tally.of_free, size - 1, 0, 0, 1)
    else:
        n_touched = mark_rows(tour, walk, scratch, start, end, True)
        add_groups(walk, tally, scratch.holding, n_touched, end - start, r, size)


@step
def add_one_row(tour, walk, tally, scratch, start, r, size):
    """Count the supersets of a mole that one row holds: all sets of the items that are left in it."""
    begin = walk.pool_position[start] + 1
    last = tour.offsets[walk.pool_row[start] + 1]
    n = tally.free_top[size - 1]
    for q in range(begin, last):
        if not scratch.is_free[tour.items[q]]:
            n += 1
    for q in range(begin, last):
        if not scratch.is_free[tour.items[q]]:
            add_sets(tally, tally.counts, tour.items[q], r - 1, n - 1, 1)
    add_sets(tally, tally.counts, walk.path[size - 1], r, n, 1)
    add_below(tally, size - 1, r, n, 1)


@step
def mark_rows(tour, walk, scratch, start, end, by_row):
    """Mark in ``bucket`` the items that are left, with a bit for each row; returns how many are touched."""
    n_touched = 0
    for j in range(start, end):
        bit = np.int64(1) << (j - start) if by_row else np.int64(1)
        for q in range(walk.pool_position[j] + 1, tour.offsets[walk.pool_row[j] + 1]):
            x = tour.items[q]
            if not scratch.is_free[x]:
                if walk.bucket[x] == 0:
                    walk.touched[n_touched] = x
                    n_touched += 1
                walk.bucket[x] |= bit
    return n_touched


@step
def add_groups(walk, tally, holding, n_touched, n_rows, r, size):
    """Count a mole's supersets by inclusion and exclusion over groups of its rows; clears ``bucket``."""
    n_groups = np.int64(1) << n_rows
    for group in range(n_groups):
        holding[group] = tally.free_top[size - 1]
    for t in range(n_touched):
        mask = walk.bucket[walk.touched[t]]
        part = mask
        while part != 0:
            holding[part] += 1
            part = (part - 1) & mask
    for group in range(1, n_groups):
        sign = sign_of(group)
        add_sets(tally, tally.counts, walk.path[size - 1], r, holding[group], sign)
        add_below(tally, size - 1, r, holding[group], sign)
    for t in range(n_touched):
        x = walk.touched[t]
        mask = walk.bucket[x]
        walk.bucket[x] = 0
        part = mask
        while part != 0:
            add_sets(tally, tally.counts, x, r - 1, holding[part] - 1, sign_of(part))
            part = (part - 1) & mask


@step
def sign_of(group):
    """1 if inclusion and exclusion adds a group of rows, -1 if it subtracts it."""
    return 2 * np.int64(count_bits(np.uint64(group)) & np.uint64(1)) - 1
