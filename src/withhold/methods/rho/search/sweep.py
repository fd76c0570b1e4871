"""Fix every unsafe rule whose antecedent has a given size, small antecedents first.

The same depth-first delivery as ``survey_antecedents``, on rows that change under it: a deleted
occurrence is -1. Only consequents are deleted, and a consequent is never in the antecedent, so the
items of the current path stay; an item that was deleted after its rows were delivered is noticed when
its turn comes.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.arrays import room_for
from withhold.counting.bits import clear_bit
from withhold.counting.jit import kernel


@kernel
def next_random(state):
    """The next number of a Lehmer generator, in [1, 2^31 - 2]; ``state[0]`` must start in there."""
    state[0] = state[0] * 48271 % 2147483647
    return state[0]


@kernel
def place_of(item, row, offsets, laid_out):
    """Where the item stands in a row that held it at first."""
    low = offsets[row]
    high = offsets[row + 1]
    while low < high:
        middle = (low + high) // 2
        if laid_out[middle] < item:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def sweep(
    offsets,
    items,
    laid_out,
    post_offsets,
    post_rows,
    supports,
    bitmaps,
    sensitive,
    size_wanted,
    num,
    den,
    at_random,
    state,
    stop,
):
    """Make every q→e with |q| = ``size_wanted`` ≥ 1 safe by deleting e from records that hold q and e.

    ``laid_out`` are the items before anything was deleted. Records lose e longest first, or drawn
    ``at_random``. Returns the positions deleted, the event each answers, and the events: where their
    antecedents start in a list of items, the consequents, the joint supports and the supports.
    """
    return sweep_roots(
        offsets,
        items,
        laid_out,
        post_offsets,
        post_rows,
        supports,
        bitmaps,
        sensitive,
        size_wanted,
        np.int64(0),
        np.int64(len(post_offsets) - 1),
        num,
        den,
        True,
        np.zeros(0, np.bool_),
        at_random,
        state,
        stop,
    )


@kernel
def find_unsafe_consequents(
    offsets,
    items,
    post_offsets,
    post_rows,
    sensitive,
    size_wanted,
    root_from,
    root_to,
    num,
    den,
    unsafe,
    stop,
):
    """Set ``unsafe[e]`` if some q→e is, with |q| = ``size_wanted`` ≥ 1 and q's rarest item in the range."""
    sweep_roots(
        offsets,
        items,
        items,
        post_offsets,
        post_rows,
        np.zeros(0, np.int64),
        np.zeros((0, 0), np.uint64),
        sensitive,
        size_wanted,
        np.int64(root_from),
        np.int64(root_to),
        num,
        den,
        False,
        unsafe,
        False,
        np.ones(1, np.int64),
        stop,
    )


@kernel
def sweep_roots(
    offsets,
    items,
    laid_out,
    post_offsets,
    post_rows,
    supports,
    bitmaps,
    sensitive,
    size_wanted,
    root_from,
    root_to,
    num,
    den,
    fix,
    unsafe,
    at_random,
    state,
    stop,
):
    """The sweep over antecedents whose rarest item is in [root_from, root_to).

    With ``fix`` unsafe rules are made safe. Without it nothing is deleted; their consequents are marked in
    ``unsafe``.
    """
    n_items = len(post_offsets) - 1
    first_bitmap = n_items - bitmaps.shape[0]
    joint = np.zeros(n_items, np.int64)
    joint_touched = np.empty(n_items, np.int32)
    bucket = np.zeros(n_items, np.int64)
    relevant = np.zeros(n_items, np.bool_)
    bucket_touched = np.empty(n_items, np.int32)
    prefix = np.empty(size_wanted + 1, np.int32)
    child_item = np.empty(1024, np.int32)
    child_start = np.empty(1024, np.int64)
    child_end = np.empty(1024, np.int64)
    next_child = np.zeros(size_wanted + 2, np.int64)
    last_child = np.zeros(size_wanted + 2, np.int64)
    pool_top = np.zeros(size_wanted + 2, np.int64)
    pool_row = np.empty(4096, np.int32)
    pool_position = np.empty(4096, np.int32)
    left = np.zeros(len(offsets) - 1, np.int32)
    for row in range(len(offsets) - 1):
        for p in range(offsets[row], offsets[row + 1]):
            if items[p] >= 0 and sensitive[items[p]]:
                left[row] += 1
    n_deleted = 0
    deleted = np.empty(1024, np.int32)
    answers = np.empty(1024, np.int32)
    n_events = 0
    event_starts = np.zeros(1024, np.int64)
    event_numbers = np.empty(1024, np.int64)
    event_items = np.empty(1024, np.int32)

    for root in range(root_from, root_to):
        if stop[0] != 0:
            break
        n_root = post_offsets[root + 1] - post_offsets[root]
        pool_row = room_for(pool_row, n_root)
        pool_position = room_for(pool_position, n_root)
        top = np.int64(0)
        any_left = False
        for k in range(post_offsets[root], post_offsets[root + 1]):
            row = post_rows[k]
            p = place_of(root, row, offsets, laid_out)
            if items[p] >= 0:
                pool_row[top] = row
                pool_position[top] = p
                top += 1
                if left[row] > (1 if sensitive[root] else 0):
                    any_left = True
        if not any_left:
            continue
        child_item[0] = root
        child_start[0] = 0
        child_end[0] = top
        next_child[1] = 0
        last_child[1] = 1
        pool_top[1] = top
        size = 1
        while size > 0:
            if next_child[size] == last_child[size]:
                size -= 1
                continue
            child = next_child[size]
            next_child[size] += 1
            start = child_start[child]
            prefix[size - 1] = child_item[child]
            # Rows whose item was deleted since they were delivered do not hold q any more.
            end = start
            for k in range(start, child_end[child]):
                if items[pool_position[k]] >= 0:
                    pool_row[end] = pool_row[k]
                    pool_position[end] = pool_position[k]
                    end += 1
            support = end - start
            if support == 0:
                continue

            if size == size_wanted:
                n_touched = 0
                for k in range(start, end):
                    row = pool_row[k]
                    if left[row] == 0:
                        continue
                    for p in range(offsets[row], offsets[row + 1]):
                        e = items[p]
                        if e >= 0 and sensitive[e]:
                            if joint[e] == 0:
                                joint_touched[n_touched] = e
                                n_touched += 1
                            joint[e] += 1
                for k in range(size):
                    joint[prefix[k]] = 0
                allowed = num * support // den
                for t in range(n_touched):
                    e = joint_touched[t]
                    surplus = joint[e] - allowed
                    if surplus <= 0 or not fix:
                        joint[e] = 0
                        if surplus > 0:
                            unsafe[e] = True
                        continue
                    used = event_starts[n_events]
                    event_starts = room_for(event_starts, n_events + 2)
                    event_items = room_for(event_items, used + size)
                    for k in range(size):
                        event_items[used + k] = prefix[k]
                    event_starts[n_events + 1] = used + size
                    event_numbers = room_for(event_numbers, 3 * n_events + 3)
                    event_numbers[3 * n_events] = e
                    event_numbers[3 * n_events + 1] = joint[e]
                    event_numbers[3 * n_events + 2] = support
                    deleted = room_for(deleted, n_deleted + surplus)
                    answers = room_for(answers, n_deleted + surplus)
                    candidates = joint[e]
                    for k in range(start, end):
                        row = pool_row[k]
                        if left[row] == 0:
                            continue
                        for p in range(offsets[row], offsets[row + 1]):
                            if items[p] == e:
                                if not at_random or next_random(state) % candidates < surplus:
                                    items[p] = -1
                                    left[row] -= 1
                                    supports[e] -= 1
                                    clear_bit(bitmaps, first_bitmap, e, row)
                                    deleted[n_deleted] = p
                                    answers[n_deleted] = n_events
                                    n_deleted += 1
                                    surplus -= 1
                                candidates -= 1
                                break
                            if items[p] > e:
                                break
                        if surplus == 0:
                            break
                    n_events += 1
                    joint[e] = 0
                continue

            # A set with a single record, or an item in all records of q, leads nowhere new: whatever
            # breaks there breaks already without that item.
            if support == 1:
                continue
            n_touched = 0
            in_prefix = 0
            for k in range(size):
                if sensitive[prefix[k]]:
                    in_prefix += 1
            for k in range(start, end):
                row = pool_row[k]
                outside = left[row] - in_prefix
                for p in range(pool_position[k] + 1, offsets[row + 1]):
                    x = items[p]
                    if x < 0:
                        continue
                    if bucket[x] == 0:
                        bucket_touched[n_touched] = x
                        n_touched += 1
                    bucket[x] += 1
                    if outside > 1 or (outside == 1 and not sensitive[x]):
                        relevant[x] = True
            first = last_child[size]
            n_children = first
            top = pool_top[size]
            child_item = room_for(child_item, first + n_touched)
            child_start = room_for(child_start, first + n_touched)
            child_end = room_for(child_end, first + n_touched)
            for t in range(n_touched):
                x = bucket_touched[t]
                if relevant[x] and bucket[x] < support:
                    child_item[n_children] = x
                    child_start[n_children] = top
                    child_end[n_children] = top
                    top += bucket[x]
                    bucket[x] = -n_children - 1
                    n_children += 1
                else:
                    bucket[x] = 0
                relevant[x] = False
            if n_children == first:
                continue
            pool_row = room_for(pool_row, top)
            pool_position = room_for(pool_position, top)
            for k in range(start, end):
                row = pool_row[k]
                for p in range(pool_position[k] + 1, offsets[row + 1]):
                    x = items[p]
                    if x >= 0 and bucket[x] < 0:
                        c = -bucket[x] - 1
                        pool_row[child_end[c]] = row
                        pool_position[child_end[c]] = p
                        child_end[c] += 1
            for c in range(first, n_children):
                bucket[child_item[c]] = 0
            size += 1
            next_child[size] = first
            last_child[size] = n_children
            pool_top[size] = top
    return (
        deleted[:n_deleted],
        answers[:n_deleted],
        event_starts[: n_events + 1],
        event_items[: event_starts[n_events]],
        event_numbers[: 3 * n_events],
    )
