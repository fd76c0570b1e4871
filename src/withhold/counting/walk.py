"""The walk over itemsets, depth first, each once, by occurrence delivery.

A set comes with its part of the pool: the rows that hold it, and the place of its last item in each. One pass
over these counts the items that follow (``count_extensions``), the caller chooses which of them become
children (``follow``), and a second pass delivers the rows to these (``deliver``). Only sets that some row
holds are visited, nothing is sorted, and memory holds the lists along one path.

``Walk`` has room for all of it from the start (``new_walk``): arrays that grow would have to be passed back,
and then every access counts references, which makes the walk three times as slow.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.jit import kernel, step


class Rows(NamedTuple):
    """Rows of ranks, ascending in each row, and for each rank the rows with it; see ``layout.Layout``."""

    offsets: Any
    items: Any
    """A withheld occurrence is negative."""
    post_offsets: Any
    post_rows: Any


class Walk(NamedTuple):
    """Where a walk is. Sets of size s are the children ``next_child[s]`` to ``last_child[s]``."""

    path: Any
    """The items of the current set."""
    child_item: Any
    """By child: its last item."""
    child_start: Any
    """By child: where its rows start and end in the pool."""
    child_end: Any
    next_child: Any
    """By size: the child that comes next, and where the children of that size end."""
    last_child: Any
    pool_row: Any
    """By place of the pool: the row."""
    pool_position: Any
    """The place of the set's last item in that row; what follows it can extend the set."""
    pool_top: Any
    """By size: how much of the pool is used."""
    bucket: Any
    """By rank: how many rows of the current set have it after their last item; all zero between two sets."""
    touched: Any
    """The items that are counted in ``bucket``."""


def new_walk(rows: Any, largest: int) -> Walk:
    """A walk over the sets of at most ``largest`` items of these ``Rows``.

    Memory that is never written costs nothing, so there is room for the most that could be needed.
    """
    n_items = len(rows.post_offsets) - 1
    return walk_with_room(n_items, largest, n_items * largest + 1, largest_pool(rows, largest))


def walk_with_room(n_items: int, largest: int, n_children: int, n_pool: int) -> Walk:
    """A walk with room for ``n_children`` children and ``n_pool`` rows on all levels together."""
    return Walk(
        path=np.zeros(largest + 1, np.int32),
        child_item=np.empty(n_children, np.int32),
        child_start=np.empty(n_children, np.int64),
        child_end=np.empty(n_children, np.int64),
        next_child=np.zeros(largest + 2, np.int64),
        last_child=np.zeros(largest + 2, np.int64),
        pool_row=np.empty(n_pool, np.int32),
        pool_position=np.empty(n_pool, np.int64),
        pool_top=np.zeros(largest + 2, np.int64),
        bucket=np.zeros(n_items, np.int64),
        touched=np.empty(n_items, np.int32),
    )


@kernel
def largest_pool(rows, largest):
    """The most rows that the pool of a walk can hold: of the root, and on each level one per item left."""
    needed = np.zeros(len(rows.post_offsets) - 1, np.int64)
    for row in range(len(rows.offsets) - 1):
        for position in range(rows.offsets[row], rows.offsets[row + 1]):
            item = rows.items[position]
            if item >= 0:
                left = rows.offsets[row + 1] - position - 1
                levels = min(left, largest - 1)
                needed[item] += 1 + levels * left - levels * (levels - 1) // 2
    most = np.int64(0)
    for item in range(len(needed)):
        most = max(most, needed[item])
    return most


@step
def place_of(rows, row, item):
    """Where a row of the item holds it, or -1 if it was withheld there."""
    low = rows.offsets[row]
    high = rows.offsets[row + 1]
    while low < high:
        middle = (low + high) // 2
        there = rows.items[middle]
        if (there if there >= 0 else ~there) < item:
            low = middle + 1
        else:
            high = middle
    return low if rows.items[low] >= 0 else -1


@step
def start_at(rows, walk, root):
    """Make the root the only set of size 1; how many rows hold it."""
    top = np.int64(0)
    for posting in range(rows.post_offsets[root], rows.post_offsets[root + 1]):
        row = rows.post_rows[posting]
        position = place_of(rows, row, root)
        if position >= 0:
            put_row(walk, top, row, position)
            top += 1
    make_root(walk, root, top)
    return top


@step
def put_row(walk, place, row, position):
    """Write a row, and the place of the set's last item in it, to a place of the pool."""
    walk.pool_row[place] = row
    walk.pool_position[place] = position


@step
def make_root(walk, root, n_rows):
    """Make the root the only set of size 1; its rows are the first ``n_rows`` of the pool."""
    walk.child_item[0] = root
    walk.child_start[0] = 0
    walk.child_end[0] = n_rows
    walk.next_child[1] = 0
    walk.last_child[1] = 1
    walk.pool_top[1] = n_rows


@step
def next_set(walk, size):
    """The next child of that size, which becomes the current set; -1 if there is none left."""
    child = walk.next_child[size]
    if child == walk.last_child[size]:
        return -1
    walk.next_child[size] += 1
    walk.path[size - 1] = walk.child_item[child]
    return child


@step
def step_on(walk, size):
    """Size and child of the next set, which is the current one from now on; size 0 if none is left."""
    while size > 0:
        child = next_set(walk, size)
        if child >= 0:
            return size, child
        size -= 1
    return size, np.int64(-1)


@step
def count_item(x, counts, touched, n_touched):
    """Count an item, and list it in ``touched`` when it is met first; how many are listed."""
    if counts[x] == 0:
        touched[n_touched] = x
        n_touched += 1
    counts[x] += 1
    return n_touched


@step
def count_extensions(rows, walk, start, end):
    """Count the items that follow the current set in its rows; returns how many are in ``touched``."""
    n_touched = 0
    for k in range(start, end):
        for p in range(walk.pool_position[k] + 1, rows.offsets[walk.pool_row[k] + 1]):
            x = rows.items[p]
            if x >= 0:
                n_touched = count_item(x, walk.bucket, walk.touched, n_touched)
    return n_touched


@step
def open_level(walk, size):
    """Begin the children of the current set, which has that size."""
    walk.next_child[size + 1] = walk.last_child[size]
    walk.last_child[size + 1] = walk.last_child[size]
    walk.pool_top[size + 1] = walk.pool_top[size]


@step
def follow(walk, size, item):
    """Make a counted item a child of the current set; for all others the caller must clear their buckets."""
    child = walk.last_child[size + 1]
    walk.last_child[size + 1] += 1
    walk.child_item[child] = item
    walk.child_start[child] = walk.pool_top[size + 1]
    walk.child_end[child] = walk.pool_top[size + 1]
    walk.pool_top[size + 1] += walk.bucket[item]
    # From here on the bucket is the child's number, told apart by its sign.
    walk.bucket[item] = -child - 1


@step
def deliver(rows, walk, size, start, end):
    """Deliver the rows of the current set to its children."""
    for k in range(start, end):
        row = walk.pool_row[k]
        for p in range(walk.pool_position[k] + 1, rows.offsets[row + 1]):
            x = rows.items[p]
            if x >= 0 and walk.bucket[x] < 0:
                place = walk.child_end[-walk.bucket[x] - 1]
                walk.child_end[-walk.bucket[x] - 1] += 1
                put_row(walk, place, row, p)
    for child in range(walk.next_child[size + 1], walk.last_child[size + 1]):
        walk.bucket[walk.child_item[child]] = 0


@step
def count_useful_extensions(rows, walk, marks, start, end, in_path):
    """As ``count_extensions``; counts in ``marks.useful`` the rows that have a marked item outside the set.

    ``marks.in_row`` says how many marked items a row holds, ``in_path`` how many of them the set has.
    """
    n_touched = 0
    for k in range(start, end):
        row = walk.pool_row[k]
        outside = marks.in_row[row] - in_path
        for p in range(walk.pool_position[k] + 1, rows.offsets[row + 1]):
            x = rows.items[p]
            if x >= 0:
                n_touched = count_item(x, walk.bucket, walk.touched, n_touched)
                if outside > 1 or (outside == 1 and not marks.marked[x]):
                    marks.useful[x] += 1
    return n_touched


@step
def follow_useful(walk, marks, size, n_touched, support, num, den):
    """Make children of the useful items, except those in exactly ``support`` rows.

    An item is useful if more than num/den of its rows have a marked item outside the set; a marked item,
    whose rows may become fewer, is useful if any row has one.
    """
    for t in range(n_touched):
        x = walk.touched[t]
        least = np.int64(0) if marks.marked[x] else num * walk.bucket[x]
        if marks.useful[x] * den > least and walk.bucket[x] != support:
            follow(walk, size, x)
        else:
            walk.bucket[x] = 0
        marks.useful[x] = 0


@step
def go_deeper(rows, walk, marks, size, span, in_path, equal, share):
    """Make the useful extensions of the current set, whose rows are ``span``, its children; whether any.

    ``marks`` and ``in_path`` as for ``count_useful_extensions``; ``equal``, ``share`` (num, den) as for
    ``follow_useful``.
    """
    n_touched = count_useful_extensions(rows, walk, marks, span[0], span[1], in_path)
    open_level(walk, size)
    follow_useful(walk, marks, size, n_touched, equal, share[0], share[1])
    if walk.next_child[size + 1] == walk.last_child[size + 1]:
        return False
    deliver(rows, walk, size, span[0], span[1])
    return True
