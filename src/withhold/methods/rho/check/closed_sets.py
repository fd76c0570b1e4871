"""The closed sets of D_e, the records that hold a sensitive item e, each visited once.

For a rule q→e let C be the closure of q in D_e, without e: the largest itemset that the same records of
D_e hold. Then q ⊆ C, so sup(C) ≤ sup(q) while sup(Ce) = sup(qe): conf(C→e) ≥ conf(q→e). A table is
therefore safe iff every closed set of every D_e is, and records of any length can be checked.

The sets are listed by prefix-preserving closure extension (Uno's LCM): C extended by x has a closure;
it is visited only from the C where that closure adds nothing that ranks below x. Equal rows are merged
first; a set that a single distinct row holds is that row itself, checked beforehand.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.arrays import room_for
from withhold.counting.jit import kernel
from withhold.counting.merged_rows import merge_equal_rows
from withhold.counting.supports import count_support

CLEAN, FOUND, STOPPED = 0, 1, 2


@kernel
def is_unsafe(
    itemset,
    size,
    joint,
    num,
    den,
    offsets,
    items,
    post_offsets,
    post_rows,
    supports,
    bitmaps,
    numbers,
):
    """Whether conf(itemset→e) > num/den when ``joint`` records hold both; fills ``numbers`` if so."""
    enough = (joint * den + num - 1) // num
    support = count_support(
        itemset, size, enough, offsets, items, post_offsets, post_rows, supports, bitmaps
    )
    if support >= enough:
        return False
    numbers[0] = joint
    numbers[1] = support
    return True


@kernel
def find_unsafe_closed_set(
    offsets,
    items,
    post_offsets,
    post_rows,
    bitmaps,
    consequents,
    num,
    den,
    with_prior,
    stop,
    witness,
    numbers,
):
    """The first closed set C of some D_e with conf(C→e) > num/den.

    FOUND fills ``witness`` (e, then C) and ``numbers`` (sup(Ce), sup(C), |C|). ``numbers[3]`` counts
    the closed sets looked at. The empty C counts only ``with_prior``.
    """
    n_items = len(post_offsets) - 1
    supports = post_offsets[1:] - post_offsets[:-1]
    largest = np.int64(0)
    for e in consequents:
        largest = max(largest, post_offsets[e + 1] - post_offsets[e])
    rows = np.empty(largest, np.int32)
    weights = np.empty(largest, np.int64)
    slots = np.empty(4 * largest + 4, np.int32)
    longest = np.int64(0)
    for row in range(len(offsets) - 1):
        longest = max(longest, offsets[row + 1] - offsets[row])
    closure = np.empty(longest + 1, np.int32)
    bucket = np.zeros(n_items, np.int64)
    touched = np.empty(n_items, np.int32)
    in_set = np.zeros(n_items, np.bool_)
    # A node on the path holds its set and its children: item and rows in the pool.
    set_stack = np.empty(4 * longest + 64, np.int32)
    set_start = np.zeros(longest + 3, np.int64)
    next_child = np.zeros(longest + 3, np.int64)
    last_child = np.zeros(longest + 3, np.int64)
    pool_top = np.zeros(longest + 3, np.int64)
    child_item = np.empty(1024, np.int32)
    child_start = np.empty(1024, np.int64)
    child_end = np.empty(1024, np.int64)
    pool = np.empty(4096, np.int32)

    for e in consequents:
        n_distinct = merge_equal_rows(
            e, offsets, items, post_offsets, post_rows, rows, weights, slots
        )
        for d in range(n_distinct):
            if stop[0] != 0:
                return STOPPED
            row = rows[d]
            size = 0
            for p in range(offsets[row], offsets[row + 1]):
                if items[p] != e:
                    closure[size] = items[p]
                    size += 1
            numbers[3] += 1
            if (size > 0 or with_prior) and is_unsafe(
                closure,
                size,
                weights[d],
                num,
                den,
                offsets,
                items,
                post_offsets,
                post_rows,
                supports,
                bitmaps,
                numbers,
            ):
                witness[0] = e
                for k in range(size):
                    witness[k + 1] = closure[k]
                numbers[2] = size
                return FOUND
        if n_distinct < 2:
            continue

        # The root is a child of nothing with all rows; its core ranks below every item.
        pool = room_for(pool, n_distinct)
        for d in range(n_distinct):
            pool[d] = d
        child_item[0] = -1
        child_start[0] = 0
        child_end[0] = n_distinct
        depth = 0
        next_child[0] = 0
        last_child[0] = 1
        pool_top[0] = n_distinct
        set_start[0] = 0
        set_start[1] = 0
        while depth >= 0:
            if next_child[depth] == last_child[depth]:
                # This node is done: its set leaves the path.
                for k in range(set_start[depth], set_start[depth + 1]):
                    in_set[set_stack[k]] = False
                depth -= 1
                if depth >= 0:
                    for k in range(set_start[depth], set_start[depth + 1]):
                        in_set[set_stack[k]] = True
                continue
            if stop[0] != 0:
                return STOPPED
            child = next_child[depth]
            next_child[depth] += 1
            core = child_item[child]
            start = child_start[child]
            end = child_end[child]

            # The closure: the shortest row, thinned by the others.
            row = rows[pool[end - 1]]
            size = 0
            for p in range(offsets[row], offsets[row + 1]):
                if items[p] != e:
                    closure[size] = items[p]
                    size += 1
            joint = weights[pool[end - 1]]
            for k in range(start, end - 1):
                row = rows[pool[k]]
                joint += weights[pool[k]]
                p = offsets[row]
                row_end = offsets[row + 1]
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
            preserved = True
            for c in range(size):
                x = closure[c]
                if x >= core:
                    break
                if not in_set[x]:
                    preserved = False
                    break
            if not preserved:
                continue
            numbers[3] += 1
            if (size > 0 or with_prior) and is_unsafe(
                closure,
                size,
                joint,
                num,
                den,
                offsets,
                items,
                post_offsets,
                post_rows,
                supports,
                bitmaps,
                numbers,
            ):
                witness[0] = e
                for k in range(size):
                    witness[k + 1] = closure[k]
                numbers[2] = size
                return FOUND

            # Deliver the rows to the items above the core that the closure lacks.
            for k in range(set_start[depth], set_start[depth + 1]):
                in_set[set_stack[k]] = False
            for c in range(size):
                in_set[closure[c]] = True
            n_touched = 0
            for k in range(start, end):
                row = rows[pool[k]]
                p = offsets[row + 1] - 1
                while p >= offsets[row] and items[p] > core:
                    x = items[p]
                    if not in_set[x] and x != e:
                        if bucket[x] == 0:
                            touched[n_touched] = x
                            n_touched += 1
                        bucket[x] += 1
                    p -= 1
            first = last_child[depth]
            n_children = first
            top = pool_top[depth]
            child_item = room_for(child_item, first + n_touched)
            child_start = room_for(child_start, first + n_touched)
            child_end = room_for(child_end, first + n_touched)
            for t in range(n_touched):
                x = touched[t]
                if bucket[x] > 1:
                    child_item[n_children] = x
                    child_start[n_children] = top
                    child_end[n_children] = top
                    top += bucket[x]
                    bucket[x] = -n_children - 1
                    n_children += 1
                else:
                    bucket[x] = 0
            if n_children == first:
                for c in range(size):
                    in_set[closure[c]] = False
                for k in range(set_start[depth], set_start[depth + 1]):
                    in_set[set_stack[k]] = True
                continue
            pool = room_for(pool, top)
            for k in range(start, end):
                row = rows[pool[k]]
                p = offsets[row + 1] - 1
                while p >= offsets[row] and items[p] > core:
                    x = items[p]
                    if bucket[x] < 0:
                        c = -bucket[x] - 1
                        pool[child_end[c]] = pool[k]
                        child_end[c] += 1
                    p -= 1
            for c in range(first, n_children):
                bucket[child_item[c]] = 0
            depth += 1
            set_stack = room_for(set_stack, set_start[depth] + size)
            for c in range(size):
                set_stack[set_start[depth] + c] = closure[c]
            set_start[depth + 1] = set_start[depth] + size
            next_child[depth] = first
            last_child[depth] = n_children
            pool_top[depth] = top
    return CLEAN
