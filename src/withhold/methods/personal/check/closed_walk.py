"""The walk over the closed sets of the published rows, each once, with the rows that hold it.

A set is closed if it is all that its rows have in common. The sets that hold a root come by prefix-preserving
closure extension (Uno's LCM): first those that one row alone holds, which are that row, then those of several
rows, depth first. The walk only counts; ``judge`` says what is unsafe. The search has a walk of its own.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.arrays import room_for
from withhold.counting.jit import kernel
from withhold.methods.personal.supports import has_more_rows

ROOT, N_ROOT, NEXT_ROW, DEPTH, SIZE, START, END, N_TOUCHED = range(8)
"""Places in ``ClosedWalk.at``: the root and how many rows hold it, the next of these to be looked at alone,
the depth of the tree; and of the set that was reached its size, its part of the pool and how many items its
rows have."""


class ClosedWalk(NamedTuple):
    """Where the walk is: the set that was reached, and the sets above it by depth."""

    at: Any
    closure: Any
    """The set that was reached, ascending."""
    in_set: Any
    """By rank: whether the set has it."""
    touched: Any
    """The items of its rows, in the order in which these have them."""
    count: Any
    """By rank: how many of its rows hold the item."""
    bucket: Any
    next_child: Any
    last_child: Any
    pool_top: Any
    set_start: Any


class Stacks(NamedTuple):
    """What grows as the walk goes deeper: rows of sets, sets to visit, and the sets above the one reached."""

    pool: Any
    child_item: Any
    child_start: Any
    child_end: Any
    set_items: Any


@kernel
def prepare_closed_walk(rows):
    """Room for a walk over the closed sets of the rows."""
    n_items = len(rows.supports)
    # Rows come longest first. A set is larger than the one above it.
    longest = rows.offsets[1] - rows.offsets[0]
    return (
        ClosedWalk(
            np.zeros(8, np.int64),
            np.empty(longest + 1, np.int32),
            np.zeros(n_items, np.bool_),
            np.empty(n_items, np.int32),
            np.zeros(n_items, np.int64),
            np.zeros(n_items, np.int64),
            np.zeros(longest + 4, np.int64),
            np.zeros(longest + 4, np.int64),
            np.zeros(longest + 4, np.int64),
            np.zeros(longest + 4, np.int64),
        ),
        Stacks(
            np.empty(4096, np.int32),
            np.empty(1024, np.int32),
            np.empty(1024, np.int64),
            np.empty(1024, np.int64),
            np.empty(4 * longest + 64, np.int32),
        ),
    )


@kernel
def start_root(root, rows, walk, stacks):
    """Stand before the first set whose lowest item is the root; returns the stacks, which may have grown."""
    # One place more, for a row that is looked at alone.
    pool = room_for(stacks.pool, rows.supports[root] + 1)
    n = 0
    for posting in range(rows.post_offsets[root], rows.post_offsets[root + 1]):
        if rows.items[rows.post_positions[posting]] >= 0:
            pool[n] = rows.post_rows[posting]
            n += 1
    at = walk.at
    at[ROOT] = root
    at[N_ROOT] = n
    at[NEXT_ROW] = 0
    at[DEPTH] = 0
    at[SIZE] = 0
    # The root is the only child of the empty set.
    stacks.child_item[0] = root
    stacks.child_start[0] = 0
    stacks.child_end[0] = n
    walk.next_child[0] = 0
    walk.last_child[0] = 1
    walk.pool_top[0] = n
    walk.set_start[0] = 0
    walk.set_start[1] = 0
    return Stacks(pool, stacks.child_item, stacks.child_start, stacks.child_end, stacks.set_items)


@kernel
def next_closed_set(rows, walk, stacks, stop):
    """Step to the next set, or to size 0 if there is none or ``stop`` is set.

    Returns the stacks, which may have grown.
    """
    at = walk.at
    if at[SIZE] > 0 and at[END] - at[START] > 1:
        stacks = open_children(rows, walk, stacks)
    elif at[SIZE] > 0:
        forget_row(walk)
    at[SIZE] = 0
    while at[NEXT_ROW] < at[N_ROOT] and stop[0] == 0:
        row = stacks.pool[at[NEXT_ROW]]
        at[NEXT_ROW] += 1
        size = lone_row(row, at[ROOT], at[N_ROOT] > 1, rows, walk.closure)
        if size > 0:
            stacks.pool[at[N_ROOT]] = row
            reach(size, at[N_ROOT], at[N_ROOT] + 1, rows, walk, stacks.pool)
            return stacks
    while at[DEPTH] >= 0 and stop[0] == 0:
        depth = at[DEPTH]
        child = walk.next_child[depth]
        if child == walk.last_child[depth]:
            mark_level(depth, False, walk, stacks.set_items)
            at[DEPTH] -= 1
            if depth > 0:
                mark_level(depth - 1, True, walk, stacks.set_items)
            continue
        walk.next_child[depth] += 1
        start = stacks.child_start[child]
        end = stacks.child_end[child]
        if end - start < 2:
            continue
        size = close(stacks.pool, start, end, rows.offsets, rows.items, walk.closure)
        preserved = True
        for c in range(size):
            x = walk.closure[c]
            if x >= stacks.child_item[child]:
                break
            if not walk.in_set[x]:
                preserved = False
                break
        if preserved:
            reach(size, start, end, rows, walk, stacks.pool)
            return stacks
    return stacks


@kernel
def lone_row(row, root, with_others, rows, closure):
    """The size of the set, into ``closure``, that this row alone holds; 0 if there is none of the root."""
    size = 0
    for p in range(rows.offsets[row], rows.offsets[row + 1]):
        x = rows.items[p]
        if x >= 0:
            if x < root:
                return 0
            closure[size] = x
            size += 1
    if with_others and has_more_rows(closure, size, 1, rows):
        return 0
    return size


@kernel
def close(pool, start, end, offsets, items, closure):
    """What the rows pool[start:end] have in common, into ``closure``; returns how many items."""
    row = pool[end - 1]
    size = 0
    for p in range(offsets[row], offsets[row + 1]):
        if items[p] >= 0:
            closure[size] = items[p]
            size += 1
    for k in range(start, end - 1):
        p = offsets[pool[k]]
        row_end = offsets[pool[k] + 1]
        kept = 0
        for c in range(size):
            x = closure[c]
            while p < row_end and items[p] < x:
                p += 1
            if p == row_end:
                break
            if items[p] == x:
                closure[kept] = x
                kept += 1
                p += 1
        size = kept
    return size


@kernel
def reach(size, start, end, rows, walk, pool):
    """Mark ``walk.closure`` as the set that was reached, and count the items of its rows pool[start:end]."""
    for c in range(size):
        walk.in_set[walk.closure[c]] = True
    n_touched = 0
    for k in range(start, end):
        for p in range(rows.offsets[pool[k]], rows.offsets[pool[k] + 1]):
            x = rows.items[p]
            if x >= 0:
                if walk.count[x] == 0:
                    walk.touched[n_touched] = x
                    n_touched += 1
                walk.count[x] += 1
    walk.at[SIZE] = size
    walk.at[START] = start
    walk.at[END] = end
    walk.at[N_TOUCHED] = n_touched


@kernel
def forget_row(walk):
    """Unmark a set that one row alone holds."""
    for c in range(walk.at[SIZE]):
        walk.in_set[walk.closure[c]] = False
    for t in range(walk.at[N_TOUCHED]):
        walk.count[walk.touched[t]] = 0


@kernel
def mark_level(depth, value, walk, set_items):
    """Mark or unmark the set at this depth."""
    for k in range(walk.set_start[depth], walk.set_start[depth + 1]):
        walk.in_set[set_items[k]] = value


@kernel
def open_children(rows, walk, stacks):
    """Go below the set that was reached, and clear its counts.

    Returns the stacks, which may have grown.
    """
    at = walk.at
    depth = at[DEPTH]
    core = stacks.child_item[walk.next_child[depth] - 1]
    first = walk.last_child[depth]
    n_touched = at[N_TOUCHED]
    child_item = room_for(stacks.child_item, first + n_touched)
    child_start = room_for(stacks.child_start, first + n_touched)
    child_end = room_for(stacks.child_end, first + n_touched)
    top = walk.pool_top[depth]
    last = first
    for t in range(n_touched):
        x = walk.touched[t]
        n = walk.count[x]
        walk.count[x] = 0
        if n > 1 and x > core and not walk.in_set[x]:
            child_item[last] = x
            child_start[last] = top
            child_end[last] = top
            top += n
            last += 1
            walk.bucket[x] = last
    pool = stacks.pool
    if last > first:
        pool = room_for(pool, top)
        for k in range(at[START], at[END]):
            for p in range(rows.offsets[pool[k] + 1] - 1, rows.offsets[pool[k]] - 1, -1):
                x = rows.items[p]
                if 0 <= x <= core:
                    break
                if x >= 0 and walk.bucket[x] > 0:
                    place = child_end[walk.bucket[x] - 1]
                    pool[place] = pool[k]
                    child_end[walk.bucket[x] - 1] = place + 1
        for child in range(first, last):
            walk.bucket[child_item[child]] = 0
    depth += 1
    size = at[SIZE]
    set_items = room_for(stacks.set_items, walk.set_start[depth] + size)
    for c in range(size):
        set_items[walk.set_start[depth] + c] = walk.closure[c]
    walk.set_start[depth + 1] = walk.set_start[depth] + size
    walk.next_child[depth] = first
    walk.last_child[depth] = last
    walk.pool_top[depth] = top
    at[DEPTH] = depth
    return Stacks(pool, child_item, child_start, child_end, set_items)
