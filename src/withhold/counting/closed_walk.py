"""The walk over the closed sets of the published rows, each once, with the rows that hold it.

A set is closed if it is all that its rows have in common. The sets that hold a root come by prefix-preserving
closure extension (Uno's LCM): first those that only one row holds, which are that row, then those of several
rows, depth first. The walk only counts; what is unsafe is for its caller to say.

All of its state is in arrays. If the stacks are too short, it returns NO_ROOM and continues with longer ones.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.arrays import room_for
from withhold.counting.jit import maker, step
from withhold.counting.local_closed_walk import is_first_met, keep_common
from withhold.counting.published import PublishedRows, has_more_rows
from withhold.counting.walk import count_item

NO_ROOM = -1
MOST_AT_FIRST = 2**22
"""Places of the pool at first; memory that is never written costs nothing."""
ROOT, CORE, N_ROOT, NEXT_ROW, DEPTH, SIZE, START, END, N_TOUCHED, N_MARKED, WITHIN = range(11)
"""Places in ``ClosedWalk.at``: the root, the item that all others must rank above, how many rows hold the
root, the next of these to be tested alone, and the depth of the tree; of the set that was reached its
size, its part of the pool, how many items its rows have and how many are marked; and the row whose items
are allowed, or -1."""


class ClosedWalk(NamedTuple):
    """Where the walk is: the set that was reached, and the sets above it by depth."""

    at: Any
    allowed: Any
    """By rank: whether sets may have the item."""
    closure: Any
    """The set that was reached, ascending."""
    in_set: Any
    """By rank: whether the set has it."""
    touched: Any
    """The items of its rows, in the order in which these have them."""
    count: Any
    """By rank: how many of its rows hold the item."""
    bucket: Any
    """By rank: the number of its child plus 1; all zero between two calls."""
    next_child: Any
    """By depth: the next child to be visited, and where the children end."""
    last_child: Any
    pool_top: Any
    """By depth: how much of the pool is used."""
    n_marked: Any
    """By depth: how many of the marked items the set above has; a set has all items of the sets above it."""
    marked: Any
    """The items that are marked in ``in_set``, in the order in which the sets on the path added them."""
    pool: Any
    """The rows of each child."""
    child_item: Any
    """By child: the item by which it extends its parent, and where its rows are in the pool."""
    child_start: Any
    child_end: Any


def new_closed_walk(
    rows: PublishedRows, room: int = MOST_AT_FIRST, *, allowing: bool = True
) -> ClosedWalk:
    """A walk for one thread over closed sets; all items are allowed, or none if not ``allowing``."""
    n_rows, n_items = len(rows.offsets) - 1, len(rows.supports)
    # A set is larger than the one above it.
    longest = int(np.diff(rows.offsets).max(initial=0))
    at = np.zeros(11, dtype=np.int64)
    at[WITHIN] = -1
    return ClosedWalk(
        at=at,
        allowed=np.full(n_items, allowing),
        closure=np.empty(longest + 1, dtype=np.int32),
        in_set=np.zeros(n_items, dtype=np.bool_),
        touched=np.empty(n_items, dtype=np.int32),
        count=np.zeros(n_items, dtype=np.int64),
        bucket=np.zeros(n_items, dtype=np.int64),
        next_child=np.zeros(longest + 4, dtype=np.int64),
        last_child=np.zeros(longest + 4, dtype=np.int64),
        pool_top=np.zeros(longest + 4, dtype=np.int64),
        n_marked=np.zeros(longest + 4, dtype=np.int64),
        marked=np.empty(longest + 1, dtype=np.int32),
        # One place more than rows, for a row that is tested alone.
        pool=np.empty(max(room, n_rows + 1), dtype=np.int32),
        child_item=np.empty(room // 4 + 1, dtype=np.int32),
        child_start=np.empty(room // 4 + 1, dtype=np.int64),
        child_end=np.empty(room // 4 + 1, dtype=np.int64),
    )


@maker
def with_more_room(walk):
    """The same walk with stacks of twice the length."""
    return ClosedWalk(
        walk.at,
        walk.allowed,
        walk.closure,
        walk.in_set,
        walk.touched,
        walk.count,
        walk.bucket,
        walk.next_child,
        walk.last_child,
        walk.pool_top,
        walk.n_marked,
        walk.marked,
        room_for(walk.pool, len(walk.pool) + 1),
        room_for(walk.child_item, len(walk.child_item) + 1),
        room_for(walk.child_start, len(walk.child_start) + 1),
        room_for(walk.child_end, len(walk.child_end) + 1),
    )


@step
def start_closed(root, ordered, rows, walk):
    """Start before the first set that holds the root; if ``ordered``, as its lowest item."""
    at = walk.at
    if at[SIZE] > 0:
        leave_set(walk)
    for k in range(walk.n_marked[max(at[DEPTH], 0)]):
        walk.in_set[walk.marked[k]] = False
    n = 0
    for posting in range(rows.post_offsets[root], rows.post_offsets[root + 1]):
        if rows.items[rows.post_positions[posting]] >= 0:
            walk.pool[n] = rows.post_rows[posting]
            n += 1
    at[ROOT] = root
    at[CORE] = root if ordered else -1
    at[N_ROOT] = n
    at[NEXT_ROW] = 0
    at[DEPTH] = 0
    # The root is the only child of the empty set.
    walk.child_item[0] = at[CORE]
    walk.child_start[0] = 0
    walk.child_end[0] = n
    walk.next_child[0] = 0
    walk.last_child[0] = 1
    walk.pool_top[0] = n
    walk.n_marked[0] = 0


@step
def next_closed_set(rows, walk, stop):
    """Step to the next set; its size, 0 if there is none or ``stop`` is set, or NO_ROOM."""
    at = walk.at
    if at[SIZE] > 0 and n_holding(walk) > 1:
        if not open_children(rows, walk):
            return NO_ROOM
    elif at[SIZE] > 0:
        leave_set(walk)
    at[SIZE] = 0
    while at[NEXT_ROW] < at[N_ROOT] and stop[0] == 0:
        row = walk.pool[at[NEXT_ROW]]
        at[NEXT_ROW] += 1
        size = set_of_lone_row(row, rows, walk)
        if size > 0:
            walk.pool[at[N_ROOT]] = row
            mark_reached(size, at[N_ROOT], at[N_ROOT] + 1, rows, walk)
            return size
    while at[DEPTH] >= 0 and stop[0] == 0:
        depth = at[DEPTH]
        child = walk.next_child[depth]
        if child == walk.last_child[depth]:
            for k in range(walk.n_marked[max(depth - 1, 0)], walk.n_marked[depth]):
                walk.in_set[walk.marked[k]] = False
            at[DEPTH] -= 1
            continue
        walk.next_child[depth] += 1
        start = walk.child_start[child]
        end = walk.child_end[child]
        if end - start > 1:
            size = find_closure(start, end, rows, walk)
            if is_first_met(walk, size, walk.child_item[child]):
                mark_reached(size, start, end, rows, walk)
                return size
    return 0


@step
def set_of_lone_row(row, rows, walk):
    """Write the allowed items of this row into ``closure``; how many, or 0 if they are not to be visited.

    They are not if another row holds them all, or if one is below the root and the walk is ordered.
    """
    size = 0
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        x = rows.items[p]
        if x >= 0 and walk.allowed[x]:
            if x < walk.at[CORE]:
                return 0
            walk.closure[size] = x
            size += 1
    if walk.at[N_ROOT] > 1 and has_more_rows(walk.closure, size, 1, rows):
        return 0
    return size


@step
def find_closure(start, end, rows, walk):
    """Write what the rows pool[start:end] have in common into ``closure``; how many items that is."""
    closure = walk.closure
    items = rows.items
    row = walk.pool[end - 1]
    size = 0
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        if items[p] >= 0 and walk.allowed[items[p]]:
            closure[size] = items[p]
            size += 1
    for k in range(start, end - 1):
        row = walk.pool[k]
        size = keep_common(closure, size, items, rows.offsets[row], rows.offsets[row + 1])
    return size


@step
def mark_reached(size, start, end, rows, walk):
    """Mark ``closure`` as the set that was reached, and count the items of its rows pool[start:end]."""
    n_marked = walk.n_marked[walk.at[DEPTH]]
    for c in range(size):
        x = walk.closure[c]
        if not walk.in_set[x]:
            walk.in_set[x] = True
            walk.marked[n_marked] = x
            n_marked += 1
    n_touched = 0
    for k in range(start, end):
        for p in range(rows.offsets[walk.pool[k]], rows.offsets[walk.pool[k] + 1]):
            x = rows.items[p]
            if x >= 0:
                n_touched = count_item(x, walk.count, walk.touched, n_touched)
    walk.at[SIZE] = size
    walk.at[START] = start
    walk.at[END] = end
    walk.at[N_TOUCHED] = n_touched
    walk.at[N_MARKED] = n_marked


@step
def n_holding(walk):
    """How many rows hold the set that was reached."""
    return walk.at[END] - walk.at[START]


@step
def leave_set(walk):
    """Unmark the set that was reached, and clear its counts."""
    for k in range(walk.n_marked[walk.at[DEPTH]], walk.at[N_MARKED]):
        walk.in_set[walk.marked[k]] = False
    for t in range(walk.at[N_TOUCHED]):
        walk.count[walk.touched[t]] = 0
    walk.at[SIZE] = 0


@step
def skip_below(walk):
    """Skip all sets below the one that was reached."""
    # As if one row alone held it.
    walk.at[END] = walk.at[START] + 1


@step
def open_children(rows, walk):
    """Make the children of the set that was reached, and clear its counts; False if there is no room.

    Then nothing has been done.
    """
    at = walk.at
    depth = at[DEPTH]
    core = walk.child_item[walk.next_child[depth] - 1]
    first = walk.last_child[depth]
    top = walk.pool_top[depth]
    for t in range(at[N_TOUCHED]):
        top += walk.count[walk.touched[t]]
    if top > len(walk.pool) or first + at[N_TOUCHED] > len(walk.child_item):
        return False
    top = walk.pool_top[depth]
    last = first
    for t in range(at[N_TOUCHED]):
        x = walk.touched[t]
        n = walk.count[x]
        walk.count[x] = 0
        if n > 1 and x > core and walk.allowed[x] and not walk.in_set[x]:
            walk.child_item[last] = x
            walk.child_start[last] = top
            walk.child_end[last] = top
            top += n
            last += 1
            walk.bucket[x] = last
    if last > first:
        for k in range(at[START], at[END]):
            row = walk.pool[k]
            for p in range(rows.offsets[row + 1] - 1, rows.offsets[row] - 1, -1):
                x = rows.items[p]
                if 0 <= x <= core:
                    break
                if x >= 0 and walk.bucket[x] > 0:
                    walk.pool[walk.child_end[walk.bucket[x] - 1]] = row
                    walk.child_end[walk.bucket[x] - 1] += 1
        for child in range(first, last):
            walk.bucket[walk.child_item[child]] = 0
    depth += 1
    walk.n_marked[depth] = at[N_MARKED]
    walk.next_child[depth] = first
    walk.last_child[depth] = last
    walk.pool_top[depth] = top
    at[DEPTH] = depth
    return True
