"""The walk over the closed sets of ``LocalRows``, each once, by prefix-preserving extension (Uno's LCM).

A set comes with the groups of rows that hold it. Its closure is what these have in common. Extended by an
item x that it lacks, it has a larger closure, which is visited only if it adds nothing that ranks below x: so
each closed set is visited from one set only. A set that only one group holds is the row itself; callers who
need those visit the rows.

The pool of groups and the children grow, so they are passed on their own, and ``expand`` returns them.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.arrays import room_for, rows_for
from withhold.counting.jit import maker, step


class ClosedWalk(NamedTuple):
    """Where a walk is: the sets along the path, each a superset of the one before."""

    closure: Any
    """The set that ``close_rows`` found last, ascending."""
    as_ranks: Any
    """Scratch: the same in ranks."""
    in_set: Any
    """By item: whether the set at the current depth holds it."""
    added: Any
    """What each set on the path added, from ``added_from[depth]`` on."""
    added_from: Any
    next_child: Any
    """By depth: the next child to be visited, and where the children end."""
    last_child: Any
    pool_top: Any
    """By depth: how much of the pool is used."""
    bucket: Any
    """By item: how many groups hold it, then its child as -child - 1; all zero between two calls."""
    touched: Any
    """The items that are counted in ``bucket``."""


@maker
def new_closed_walk(local):
    """A walk over the closed sets of these rows that has not begun."""
    longest = np.int64(0)
    for g in range(local.n_groups):
        r = local.first_of[g]
        longest = max(longest, local.offsets[r + 1] - local.offsets[r])
    return ClosedWalk(
        np.empty(longest + 1, np.int32),
        np.empty(longest + 1, np.int32),
        np.zeros(local.n_local, np.bool_),
        np.empty(longest + 1, np.int32),
        np.zeros(longest + 4, np.int64),
        np.zeros(longest + 4, np.int64),
        np.zeros(longest + 4, np.int64),
        np.zeros(longest + 4, np.int64),
        np.zeros(local.n_local, np.int64),
        np.empty(local.n_local, np.int32),
    )


@step
def start_closed(walk, children, pool, n_groups):
    """Make the set of what all groups hold the only child of nothing; -1 ranks below every item."""
    for g in range(n_groups):
        pool[g] = g
    children[0, 0] = -1
    children[0, 1] = 0
    children[0, 2] = n_groups
    walk.next_child[0] = 0
    walk.last_child[0] = 1
    walk.pool_top[0] = n_groups


@step
def close_rows(local, walk, pool, start, end):
    """Write into ``walk.closure`` what the groups in pool[start:end] have in common; returns its size."""
    r = local.first_of[pool[end - 1]]
    size = np.int64(0)
    for p in range(local.offsets[r], local.offsets[r + 1]):
        walk.closure[size] = local.items[p]
        size += 1
    for k in range(start, end - 1):
        r = local.first_of[pool[k]]
        size = keep_common(walk.closure, size, local.items, local.offsets[r], local.offsets[r + 1])
    return size


@step
def keep_common(closure, size, items, start, end):
    """Keep in ``closure`` what items[start:end] has too, both ascending; how much that is."""
    p = start
    kept = 0
    for c in range(size):
        x = closure[c]
        while p < end and items[p] < x:
            p += 1
        if p == end:
            break
        if items[p] == x:
            closure[kept] = x
            kept += 1
            p += 1
    return kept


@step
def is_first_met(walk, size, core):
    """Whether the closure adds nothing below the item by which the set was extended."""
    for c in range(size):
        if walk.closure[c] >= core:
            break
        if not walk.in_set[walk.closure[c]]:
            return False
    return True


@step
def enter_set(walk, depth, size):
    """Make the closure the set at the next depth."""
    top = walk.added_from[depth + 1]
    for c in range(size):
        if not walk.in_set[walk.closure[c]]:
            walk.in_set[walk.closure[c]] = True
            walk.added[top] = walk.closure[c]
            top += 1
    walk.added_from[depth + 2] = top


@step
def leave_set(walk, depth):
    """Unmark what the set at this depth added."""
    for k in range(walk.added_from[depth], walk.added_from[depth + 1]):
        walk.in_set[walk.added[k]] = False


@step
def take_child(walk, depth):
    """The next child at this depth; -1 if there is none left, and then the set there is left."""
    child = walk.next_child[depth]
    if child == walk.last_child[depth]:
        leave_set(walk, depth)
        return -1
    walk.next_child[depth] += 1
    return child


@maker
def expand(local, walk, children, pool, depth, size, child):
    """Enter the closure of a child, which has that size, make its children and pass its groups on to them."""
    core = children[child, 0]
    start = children[child, 1]
    end = children[child, 2]
    enter_set(walk, depth, size)
    n_touched = count_beyond(local, walk, pool, start, end, core)
    children = rows_for(children, walk.last_child[depth] + n_touched)
    open_children(walk, children, depth, n_touched)
    pool = room_for(pool, walk.pool_top[depth + 1])
    deliver_beyond(local, walk, children, pool, start, end, core)
    for following in range(walk.next_child[depth + 1], walk.last_child[depth + 1]):
        walk.bucket[children[following, 0]] = 0
    return children, pool


@step
def count_beyond(local, walk, pool, start, end, core):
    """Count the items above the core that the set lacks; returns how many are in ``touched``."""
    n_touched = 0
    for k in range(start, end):
        r = local.first_of[pool[k]]
        p = local.offsets[r + 1] - 1
        while p >= local.offsets[r] and local.items[p] > core:
            x = local.items[p]
            if not walk.in_set[x]:
                if walk.bucket[x] == 0:
                    walk.touched[n_touched] = x
                    n_touched += 1
                walk.bucket[x] += 1
            p -= 1
    return n_touched


@step
def open_children(walk, children, depth, n_touched):
    """Make children of the items that two groups hold; ``children`` must have room for all touched."""
    child = walk.last_child[depth]
    top = walk.pool_top[depth]
    walk.next_child[depth + 1] = child
    for t in range(n_touched):
        x = walk.touched[t]
        if walk.bucket[x] > 1:
            children[child, 0] = x
            children[child, 1] = top
            children[child, 2] = top
            top += walk.bucket[x]
            # From here on the bucket is the child's number, told apart by its sign.
            walk.bucket[x] = -child - 1
            child += 1
        else:
            walk.bucket[x] = 0
    walk.last_child[depth + 1] = child
    walk.pool_top[depth + 1] = top


@step
def deliver_beyond(local, walk, children, pool, start, end, core):
    """Pass the groups in pool[start:end] on to the children; ``pool`` must have room up to their top."""
    for k in range(start, end):
        r = local.first_of[pool[k]]
        p = local.offsets[r + 1] - 1
        while p >= local.offsets[r] and local.items[p] > core:
            if walk.bucket[local.items[p]] < 0:
                child = -walk.bucket[local.items[p]] - 1
                pool[children[child, 2]] = pool[k]
                children[child, 2] += 1
            p -= 1
