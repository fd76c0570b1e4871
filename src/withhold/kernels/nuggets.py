"""How many nuggets (frequent itemsets of public and private items) each item is in.

Counted depth first. Items that all rows of a set hold need no search of their own: each doubles the number
of sets. A count is a row of slots: slot n is worth 2^n.
"""

from __future__ import annotations

import numpy as np

from withhold.kernels.arrays import room_for
from withhold.kernels.cohorts import STOPPED, gather_cohort
from withhold.kernels.jit import kernel

DONE = 0
FREE = -(1 << 40)
"""In place of an item's count: all rows of the path hold it, and it is counted by doubling."""


@kernel
def count_nuggets(
    roots,
    after,
    alive,
    offsets,
    items,
    post_offsets,
    post_rows,
    k,
    longest,
    counts,
    overall,
    stop,
):
    """Add to ``counts`` and ``overall`` all itemsets with one of ``roots`` that ``k`` rows hold."""
    n_items = len(post_offsets) - 1
    n_slots = counts.shape[1]
    seen = np.zeros(n_items, np.int64)
    touched = np.empty(n_items, np.int32)
    total = np.zeros((longest + 1, n_slots), np.int64)
    of_free = np.zeros((longest + 1, n_slots), np.int64)
    path = np.empty(longest + 1, np.int32)
    free_items = np.empty(n_items, np.int32)
    free_top = np.zeros(longest + 2, np.int64)
    next_child = np.zeros(longest + 2, np.int64)
    last_child = np.zeros(longest + 2, np.int64)
    pool_top = np.zeros(longest + 2, np.int64)
    child_item = np.empty(1024, np.int32)
    child_start = np.empty(1024, np.int64)
    child_end = np.empty(1024, np.int64)
    pool_row = np.empty(1024, np.int32)
    pool_place = np.empty(1024, np.int64)
    for root in roots:
        support = post_offsets[root + 1] - post_offsets[root]
        if support < k or not alive[root]:
            continue
        row_offsets, row_items = gather_cohort(
            root, after, alive, offsets, items, post_offsets, post_rows
        )
        pool_row = room_for(pool_row, support)
        pool_place = room_for(pool_place, support)
        for j in range(support):
            pool_row[j] = j
            pool_place[j] = row_offsets[j]
        child_item[0] = root
        child_start[0] = 0
        child_end[0] = support
        next_child[0] = 0
        last_child[0] = 1
        pool_top[0] = support
        free_top[0] = 0
        depth = 0
        while depth >= 0:
            if next_child[depth] == last_child[depth]:
                depth -= 1
                if depth < 0:
                    break
                for s in range(n_slots):
                    many = total[depth, s]
                    counts[path[depth], s] += many
                    if depth > 0:
                        total[depth - 1, s] += many
                        of_free[depth - 1, s] += of_free[depth, s]
                    else:
                        overall[s] += many
                for f in range(free_top[depth], free_top[depth + 1]):
                    seen[free_items[f]] = 0
                    for s in range(n_slots):
                        counts[free_items[f], s] += of_free[depth, s]
                continue
            if stop[0] != 0:
                return STOPPED
            child = next_child[depth]
            next_child[depth] += 1
            start = child_start[child]
            end = child_end[child]
            n_free = free_top[depth]
            path[depth] = child_item[child]
            n_touched = 0
            for j in range(start, end):
                for q in range(pool_place[j], row_offsets[pool_row[j] + 1]):
                    x = row_items[q]
                    if seen[x] == 0:
                        touched[n_touched] = x
                        n_touched += 1
                    seen[x] += 1
            first = last_child[depth]
            n_children = first
            top = pool_top[depth]
            child_item = room_for(child_item, first + n_touched)
            child_start = room_for(child_start, first + n_touched)
            child_end = room_for(child_end, first + n_touched)
            for t in range(n_touched):
                x = touched[t]
                count = seen[x]
                seen[x] = 0
                if count == end - start:
                    seen[x] = FREE
                    free_items[n_free] = x
                    n_free += 1
                elif count >= k:
                    child_item[n_children] = x
                    child_start[n_children] = top
                    child_end[n_children] = top
                    top += count
                    seen[x] = -n_children - 1
                    n_children += 1
            free_top[depth + 1] = n_free
            for s in range(n_slots):
                total[depth, s] = 0
                of_free[depth, s] = 0
            total[depth, n_free] = 1
            if n_free > 0:
                of_free[depth, n_free - 1] = 1
            pool_row = room_for(pool_row, top)
            pool_place = room_for(pool_place, top)
            if n_children > first:
                for j in range(start, end):
                    row = pool_row[j]
                    for q in range(pool_place[j], row_offsets[row + 1]):
                        c = -seen[row_items[q]] - 1
                        if 0 <= c < n_children:
                            pool_row[child_end[c]] = row
                            pool_place[child_end[c]] = q + 1
                            child_end[c] += 1
                for c in range(first, n_children):
                    seen[child_item[c]] = 0
            depth += 1
            next_child[depth] = first
            last_child[depth] = n_children
            pool_top[depth] = top
    return DONE
