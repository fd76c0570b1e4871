"""The walk over what can be known: itemsets of original rows, depth first, each once.

A set comes with its part of the pool: the rows whose originals hold it. Its children add one item of higher
rank. Who walks decides at each set whether to go on below it.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from withhold.counting.arrays import room_for
from withhold.counting.jit import kernel
from withhold.methods.personal.people import PersonalLayout

MOST_SMALL_SETS = 200_000_000
"""Sets of a size that may be walked one by one; above, closed sets are the better way."""


class Walk(NamedTuple):
    """Where the walk is: by size of the set, which children were visited and how full the pool is."""

    next_child: Any
    last_child: Any
    pool_top: Any
    bucket: Any
    """By rank; all zero between two steps."""
    heads: Any


class Children(NamedTuple):
    """Sets to visit: the last item of each, and its part of the pool."""

    item: Any
    start: Any
    end: Any


class Pool(NamedTuple):
    """Rows that hold a set originally: where its last item stands, and whether they publish all of it."""

    row: Any
    position: Any
    holds: Any


@kernel
def prepare_walk(n_items, largest):
    """Room for a walk over sets of up to ``largest`` items."""
    return (
        Walk(
            np.zeros(largest + 2, np.int64),
            np.zeros(largest + 2, np.int64),
            np.zeros(largest + 2, np.int64),
            np.zeros(n_items, np.int64),
            np.empty(n_items, np.int32),
        ),
        Children(np.empty(1024, np.int32), np.empty(1024, np.int64), np.empty(1024, np.int64)),
        Pool(np.empty(4096, np.int32), np.empty(4096, np.int32), np.empty(4096, np.bool_)),
    )


@kernel
def start_at(root, rows, walk, children, pool):
    """Make the root the only set of one item; returns the pool, which may have grown."""
    n_root = rows.post_offsets[root + 1] - rows.post_offsets[root]
    row = room_for(pool.row, n_root)
    position = room_for(pool.position, n_root)
    holds = room_for(pool.holds, n_root)
    for k in range(n_root):
        posting = rows.post_offsets[root] + k
        row[k] = rows.post_rows[posting]
        position[k] = rows.post_positions[posting]
        holds[k] = rows.items[rows.post_positions[posting]] >= 0
    children.item[0] = root
    children.start[0] = 0
    children.end[0] = n_root
    walk.next_child[1] = 0
    walk.last_child[1] = 1
    walk.pool_top[1] = n_root
    return Pool(row, position, holds)


@kernel
def go_deeper(size, start, end, rows, walk, children, pool):
    """Make the children of a set, known by its size and its part of the pool.

    Returns children and pool, which may have grown.
    """
    n_heads = 0
    bucket = walk.bucket
    for k in range(start, end):
        for p in range(pool.position[k] + 1, rows.offsets[pool.row[k] + 1]):
            x = rows.items[p]
            x = x if x >= 0 else ~x
            if bucket[x] == 0:
                walk.heads[n_heads] = x
                n_heads += 1
            bucket[x] += 1
    first = walk.last_child[size]
    top = walk.pool_top[size]
    item = room_for(children.item, first + n_heads)
    starts = room_for(children.start, first + n_heads)
    ends = room_for(children.end, first + n_heads)
    for h in range(n_heads):
        x = walk.heads[h]
        item[first + h] = x
        starts[first + h] = top
        ends[first + h] = top
        top += bucket[x]
        bucket[x] = first + h
    row = room_for(pool.row, top)
    position = room_for(pool.position, top)
    holds = room_for(pool.holds, top)
    for k in range(start, end):
        for p in range(position[k] + 1, rows.offsets[row[k] + 1]):
            x = rows.items[p]
            child = bucket[x if x >= 0 else ~x]
            place = ends[child]
            ends[child] += 1
            row[place] = row[k]
            position[place] = p
            holds[place] = holds[k] and x >= 0
    for h in range(n_heads):
        bucket[walk.heads[h]] = 0
    walk.next_child[size + 1] = first
    walk.last_child[size + 1] = first + n_heads
    walk.pool_top[size + 1] = top
    return Children(item, starts, ends), Pool(row, position, holds)


def small_sizes(layout: PersonalLayout) -> int:
    """Up to which size, at most 3, sets of known items are looked at one by one.

    Closed sets answer for larger ones, and are judged much faster when small sets need no look there.
    """
    lengths = np.diff(layout.rows.offsets).astype(np.float64)
    triples = (lengths * (lengths - 1) * (lengths - 2) / 6).sum()
    pairs = (lengths * (lengths - 1) / 2).sum()
    return 3 if triples <= MOST_SMALL_SETS else 2 if pairs <= MOST_SMALL_SETS else 1
