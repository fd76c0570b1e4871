"""The closed sets of the published rows, each visited once and judged.

Listed by prefix-preserving closure extension, from each root item; a set that one row
alone holds is that row. ``judge`` says what is unsafe about a set.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.arrays import room_for
from withhold.counting.jit import kernel
from withhold.methods.personal.search.judge import judge
from withhold.methods.personal.supports import has_more_rows

CLEAN, FOUND, STOPPED = 0, 1, 2


@kernel
def count_items(pool, start, end, rows, scratch, touched):
    """Count all published items of the rows pool[start:end]; returns how many items they have."""
    n_touched = 0
    for k in range(start, end):
        row = pool[k]
        for p in range(rows.offsets[row], rows.offsets[row + 1]):
            x = rows.items[p]
            if x >= 0:
                if scratch.count[x] == 0:
                    touched[n_touched] = x
                    n_touched += 1
                scratch.count[x] += 1
    return n_touched


@kernel
def find_unsafe_sets(
    roots, within, ordered, least, returned, rows, people, fears, num, den, stop, scratch, found
):
    """Judge the closed sets that hold each root; rules are reported as long as there is room.

    Rules with fewer than ``least`` known items (at least 1) may be left out; ``survey_known_sets`` has them.

    ``ordered``: only sets whose lowest rank is the root, so that over all roots each set comes once.
    ``within[k]`` is -1 for all k, or a row: then only sets of items that this row publishes are looked at,
    or, if not ``ordered``, that it had originally. ``returned`` is -1, or the only root: an item that was put
    back just now into the row ``within``; then all rules that this can have made unsafe are looked at.
    """
    n_items = len(rows.supports)
    touched = np.empty(n_items, np.int32)
    # Rows come longest first.
    longest = rows.offsets[1] - rows.offsets[0]
    closure = np.empty(longest + 1, np.int32)
    bucket = np.zeros(n_items, np.int64)
    heads = np.empty(n_items, np.int32)
    set_stack = np.empty(4 * longest + 64, np.int32)
    set_start = np.zeros(longest + 4, np.int64)
    next_child = np.zeros(longest + 4, np.int64)
    last_child = np.zeros(longest + 4, np.int64)
    pool_top = np.zeros(longest + 4, np.int64)
    child_item = np.empty(1024, np.int32)
    child_start = np.empty(1024, np.int64)
    child_end = np.empty(1024, np.int64)
    pool = np.empty(4096, np.int32)
    status = CLEAN
    for job in range(len(roots)):
        root = roots[job]
        found.count[3] = job
        if within[job] >= 0 and (job == 0 or within[job] != within[job - 1]):
            for x in range(n_items):
                scratch.allowed[x] = False
            for p in range(rows.offsets[within[job]], rows.offsets[within[job] + 1]):
                x = rows.items[p]
                if x >= 0:
                    scratch.allowed[x] = True
                elif not ordered and returned < 0:
                    scratch.allowed[~x] = True
        if rows.supports[root] == 0:
            continue
        n_root = np.int64(0)
        pool = room_for(pool, rows.supports[root] + 1)
        for posting in range(rows.post_offsets[root], rows.post_offsets[root + 1]):
            if rows.items[rows.post_positions[posting]] >= 0:
                pool[n_root] = rows.post_rows[posting]
                n_root += 1

        # Sets that one row alone holds are that row, as far as it is allowed. The place in the pool
        # behind the root's rows is for those.
        for k in range(n_root):
            if stop[0] != 0:
                status = STOPPED
                break
            row = pool[k]
            size = 0
            lowest = True
            for p in range(rows.offsets[row], rows.offsets[row + 1]):
                x = rows.items[p]
                if x >= 0 and scratch.allowed[x]:
                    if ordered and x < root:
                        lowest = False
                        break
                    closure[size] = x
                    size += 1
            if not lowest or (n_root > 1 and has_more_rows(closure, size, 1, rows)):
                continue
            pool[n_root] = row
            n_touched = count_items(pool, n_root, n_root + 1, rows, scratch, touched)
            for c in range(size):
                scratch.in_set[closure[c]] = True
            room = judge(
                closure,
                size,
                least,
                returned,
                pool,
                n_root,
                n_root + 1,
                touched,
                n_touched,
                rows,
                people,
                fears,
                num,
                den,
                scratch,
                found,
            )
            for c in range(size):
                scratch.in_set[closure[c]] = False
            for t in range(n_touched):
                scratch.count[touched[t]] = 0
            if not room:
                status = FOUND
                break

        # The root is a child of nothing; its core ranks below every item unless sets are ordered.
        child_item[0] = root if ordered else -1
        child_start[0] = 0
        child_end[0] = n_root
        depth = 0
        next_child[0] = 0
        last_child[0] = 1
        pool_top[0] = n_root
        set_start[0] = 0
        set_start[1] = 0
        while depth >= 0 and status == CLEAN:
            if next_child[depth] == last_child[depth]:
                for k in range(set_start[depth], set_start[depth + 1]):
                    scratch.in_set[set_stack[k]] = False
                depth -= 1
                if depth >= 0:
                    for k in range(set_start[depth], set_start[depth + 1]):
                        scratch.in_set[set_stack[k]] = True
                continue
            if stop[0] != 0:
                status = STOPPED
                break
            child = next_child[depth]
            next_child[depth] += 1
            core = child_item[child]
            start = child_start[child]
            end = child_end[child]
            if end - start < 2:
                continue

            # The closure: one row, thinned by the others.
            row = pool[end - 1]
            size = 0
            for p in range(rows.offsets[row], rows.offsets[row + 1]):
                x = rows.items[p]
                if x >= 0 and scratch.allowed[x]:
                    closure[size] = x
                    size += 1
            for k in range(start, end - 1):
                row = pool[k]
                p = rows.offsets[row]
                row_end = rows.offsets[row + 1]
                kept = 0
                for c in range(size):
                    x = closure[c]
                    while p < row_end and rows.items[p] < x:
                        p += 1
                    if p == row_end:
                        break
                    if rows.items[p] == x:
                        closure[kept] = x
                        kept += 1
                        p += 1
                size = kept
            preserved = True
            for c in range(size):
                if closure[c] >= core:
                    break
                if not scratch.in_set[closure[c]]:
                    preserved = False
                    break
            if not preserved:
                continue
            for k in range(set_start[depth], set_start[depth + 1]):
                scratch.in_set[set_stack[k]] = False
            for c in range(size):
                scratch.in_set[closure[c]] = True
            n_touched = count_items(pool, start, end, rows, scratch, touched)
            room = judge(
                closure,
                size,
                least,
                returned,
                pool,
                start,
                end,
                touched,
                n_touched,
                rows,
                people,
                fears,
                num,
                den,
                scratch,
                found,
            )
            n_heads = 0
            top = pool_top[depth]
            first = last_child[depth]
            n_children = first
            child_item = room_for(child_item, first + n_touched)
            child_start = room_for(child_start, first + n_touched)
            child_end = room_for(child_end, first + n_touched)
            for t in range(n_touched):
                x = touched[t]
                count = scratch.count[x]
                scratch.count[x] = 0
                if count > 1 and x > core and scratch.allowed[x] and not scratch.in_set[x]:
                    child_item[n_children] = x
                    child_start[n_children] = top
                    child_end[n_children] = top
                    top += count
                    bucket[x] = n_children + 1
                    heads[n_heads] = x
                    n_heads += 1
                    n_children += 1
            if not room:
                status = FOUND
            if n_children == first or status != CLEAN:
                for c in range(size):
                    scratch.in_set[closure[c]] = False
                for k in range(set_start[depth], set_start[depth + 1]):
                    scratch.in_set[set_stack[k]] = True
                for h in range(n_heads):
                    bucket[heads[h]] = 0
                continue
            pool = room_for(pool, top)
            for k in range(start, end):
                row = pool[k]
                for p in range(rows.offsets[row], rows.offsets[row + 1]):
                    x = rows.items[p]
                    if x >= 0 and bucket[x] > 0:
                        c = bucket[x] - 1
                        pool[child_end[c]] = row
                        child_end[c] += 1
            for h in range(n_heads):
                bucket[heads[h]] = 0
            depth += 1
            set_stack = room_for(set_stack, set_start[depth] + size)
            for c in range(size):
                set_stack[set_start[depth] + c] = closure[c]
            set_start[depth + 1] = set_start[depth] + size
            next_child[depth] = first
            last_child[depth] = n_children
            pool_top[depth] = top
        for level in range(depth + 1):
            for k in range(set_start[level], set_start[level + 1]):
                scratch.in_set[set_stack[k]] = False
        if status != CLEAN:
            break
    if len(roots) > 0 and within[0] >= 0:
        for x in range(n_items):
            scratch.allowed[x] = True
    return status
