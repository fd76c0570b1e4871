"""How many moles each item is in, counted without listing them.

Below a mole everything is a mole, so there the supported sets are counted, in closed form where few rows
are left. Items that all rows of a set hold need no search of their own ("free"): they double the number of
sets. Counts may need hundreds of bits; ``supersets`` says how they are kept.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.arrays import room_for
from withhold.counting.jit import kernel
from withhold.methods.coherence.breach_store import EMPTY, held_breach
from withhold.methods.coherence.cohorts import STOPPED, gather_cohort, likeliest_private
from withhold.methods.coherence.search.supersets import (
    FEW_ROWS,
    MOST_TO_REDUCE,
    add_sets,
    count_supersets,
    keep_maximal,
)

DONE = 0
CANDIDATE, MOLE = 0, 1
FREE = -(1 << 40)
"""In place of an item's count: all rows of the path hold it, and it is counted by doubling."""


@kernel
def is_needed(y, counts, k, on_path, arena, item_heads):
    """Whether ``y`` may complete a stored mole together with the path and its frequent extensions."""
    at = item_heads[y]
    while at != EMPTY:
        inside = True
        following = EMPTY
        for m in range(arena[at + 1]):
            z = arena[at + 2 + 2 * m]
            if z == y:
                following = arena[at + 3 + 2 * m]
            elif not on_path[z] and counts[z] < k:
                inside = False
        if inside:
            return True
        at = following
    return False


@kernel
def count_moles(
    roots,
    after,
    part,
    n_parts,
    alive,
    offsets,
    items,
    private_offsets,
    private_items,
    post_offsets,
    post_rows,
    k,
    num,
    den,
    largest,
    keys,
    heads,
    arena,
    item_heads,
    slots,
    weights,
    counts,
    stop,
):
    """Add to ``counts`` all moles of 2 to ``largest`` items that hold one of ``roots`` (no moles alone).

    All minimal moles of fewer than ``largest`` items that are not rare must be stored. Of each root's
    extensions only every ``n_parts``-th is followed, from ``part`` on: the sum of all parts is everything.
    """
    n_items = len(post_offsets) - 1
    n_slots = counts.shape[1]
    seen = np.zeros(n_items, np.int64)
    joint = np.zeros(n_items, np.int64)
    touched = np.empty(n_items, np.int32)
    on_path = np.zeros(n_items, np.bool_)
    path = np.empty(largest + 1, np.int32)
    holding = np.empty(1 << FEW_ROWS, np.int64)
    lengths = np.empty(MOST_TO_REDUCE, np.int64)
    marks = np.empty(MOST_TO_REDUCE, np.int64)
    total = np.zeros((largest + 1, n_slots), np.int64)
    of_free = np.zeros((largest + 1, n_slots), np.int64)
    free_items = np.empty(n_items, np.int32)
    free_top = np.zeros(largest + 2, np.int64)
    next_child = np.zeros(largest + 2, np.int64)
    last_child = np.zeros(largest + 2, np.int64)
    pool_top = np.zeros(largest + 2, np.int64)
    child_item = np.empty(1024, np.int32)
    child_start = np.empty(1024, np.int64)
    child_end = np.empty(1024, np.int64)
    child_kind = np.empty(1024, np.int8)
    pool_row = np.empty(1024, np.int32)
    pool_place = np.empty(1024, np.int64)
    for root in roots:
        first_posting = post_offsets[root]
        support = post_offsets[root + 1] - first_posting
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
        child_kind[0] = CANDIDATE
        next_child[0] = 0
        last_child[0] = 1
        pool_top[0] = support
        free_top[0] = 0
        depth = 0
        while depth >= 0:
            if next_child[depth] == last_child[depth]:
                # The node one level up is done: its sets count for its item and its free items.
                depth -= 1
                if depth < 0:
                    break
                on_path[path[depth]] = False
                for s in range(n_slots):
                    many = total[depth, s]
                    counts[path[depth], s] += many
                    if depth > 0:
                        total[depth - 1, s] += many
                        of_free[depth - 1, s] += of_free[depth, s]
                for f in range(free_top[depth], free_top[depth + 1]):
                    seen[free_items[f]] = 0
                    for s in range(n_slots):
                        counts[free_items[f], s] += of_free[depth, s]
                continue
            if stop[0] != 0:
                return STOPPED
            child = next_child[depth]
            next_child[depth] += 1
            item = child_item[child]
            start = child_start[child]
            end = child_end[child]
            kind = child_kind[child]
            n_free = free_top[depth]
            path[depth] = item
            size = depth + 1
            r = largest - size
            if kind == CANDIDATE and r == 0:
                if depth == 0:
                    continue
                _, most = likeliest_private(
                    pool_row,
                    start,
                    end,
                    first_posting,
                    post_rows,
                    private_offsets,
                    private_items,
                    joint,
                    touched,
                )
                if most * den <= num * (end - start):
                    continue
                kind = MOLE
            if kind == MOLE and r > 1 and FEW_ROWS < end - start <= MOST_TO_REDUCE:
                end = keep_maximal(
                    start, end, pool_row, pool_place, row_offsets, row_items, lengths, marks
                )
            if kind == MOLE and (r <= 1 or end - start <= FEW_ROWS):
                count_supersets(
                    item,
                    start,
                    end,
                    r,
                    n_free,
                    pool_row,
                    pool_place,
                    row_offsets,
                    row_items,
                    seen,
                    holding,
                    touched,
                    slots,
                    weights,
                    counts,
                    total,
                    of_free,
                    depth - 1,
                )
                continue
            n_touched = 0
            for j in range(start, end):
                for q in range(pool_place[j], row_offsets[pool_row[j] + 1]):
                    x = row_items[q]
                    if seen[x] == 0:
                        touched[n_touched] = x
                        n_touched += 1
                    seen[x] += 1
            on_path[item] = True
            for s in range(n_slots):
                total[depth, s] = 0
                of_free[depth, s] = 0
            n_left = 0
            for t in range(n_touched):
                y = touched[t]
                if seen[y] == end - start and (
                    kind == MOLE or not is_needed(y, seen, k, on_path, arena, item_heads)
                ):
                    free_items[n_free] = y
                    n_free += 1
                else:
                    touched[n_left] = y
                    n_left += 1
            free_top[depth + 1] = n_free
            if kind == MOLE:
                add_sets(total, depth, r, n_free, 1, slots, weights)
                add_sets(of_free, depth, r - 1, n_free - 1, 1, slots, weights)
            first = last_child[depth]
            n_children = first
            top = pool_top[depth]
            child_item = room_for(child_item, first + n_left)
            child_start = room_for(child_start, first + n_left)
            child_end = room_for(child_end, first + n_left)
            child_kind = room_for(child_kind, first + n_left)
            for f in range(free_top[depth], n_free):
                seen[free_items[f]] = FREE
            for t in range(n_left):
                x = touched[t]
                count = seen[x]
                seen[x] = 0
                if depth == 0 and t % n_parts != part:
                    continue
                is_mole = (
                    kind == MOLE
                    or count < k
                    or (
                        num < den
                        and held_breach(path, size, x, on_path, keys, heads, arena, n_items) > 0
                    )
                )
                if is_mole and r == 1:
                    add_sets(counts, x, 0, 0, 1, slots, weights)
                    add_sets(total, depth, 0, 0, 1, slots, weights)
                elif is_mole or r > 1 or num < den:
                    child_item[n_children] = x
                    child_start[n_children] = top
                    child_end[n_children] = top
                    child_kind[n_children] = MOLE if is_mole else CANDIDATE
                    top += count
                    seen[x] = -n_children - 1
                    n_children += 1
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
