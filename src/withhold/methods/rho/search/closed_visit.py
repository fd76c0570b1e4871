"""The suppressor's own enumeration of closed sets, on merged local rows whose weights it may lower.

The proof of a release has another (``check/closed_sets.py``), so that a mistake here cannot hide itself.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from withhold.counting.arrays import room_for
from withhold.counting.jit import kernel
from withhold.counting.supports import count_support
from withhold.methods.rho.search.sweep import next_random


@kernel
def visit_closed_sets(
    n_groups,
    first_of,
    weights,
    row_offsets,
    row_items,
    n_local,
    ranks,
    with_prior,
    extra_joint,
    extra_support,
    fix,
    num,
    den,
    at_random,
    state,
    offsets,
    items,
    post_offsets,
    post_rows,
    supports,
    bitmaps,
    stop,
):
    """Every closed set C of the merged local rows: small ones first if they are to be fixed.

    C is unsafe iff (joint + extra_joint)·den > num·(sup(C) + extra_support). With ``fix`` weights are
    lowered until it is not, and what was lowered is returned: the group for each deletion, the event it
    answers, and the events (local items; joint, support). Without ``fix`` the rows themselves come
    first, where most checks end, and the first unsafe C ends it: it is the only event, in ranks.
    Returns also whether an unsafe C was met.
    """
    longest = np.int64(0)
    for g in range(n_groups):
        r = first_of[g]
        longest = max(longest, row_offsets[r + 1] - row_offsets[r])
    closure = np.empty(longest + 1, np.int32)
    as_ranks = np.empty(longest + 1, np.int32)
    bucket = np.zeros(n_local, np.int64)
    touched = np.empty(n_local, np.int32)
    in_set = np.zeros(n_local, np.bool_)
    set_stack = np.empty(longest + 64, np.int32)
    set_start = np.zeros(longest + 4, np.int64)
    next_child = np.zeros(longest + 4, np.int64)
    last_child = np.zeros(longest + 4, np.int64)
    pool_top = np.zeros(longest + 4, np.int64)
    child_item = np.empty(n_local + 1, np.int32)
    child_start = np.empty(n_local + 1, np.int64)
    child_end = np.empty(n_local + 1, np.int64)
    pool = np.empty(2 * n_groups + 16, np.int32)
    n_lowered = 0
    lowered = np.empty(16, np.int32)
    answers = np.empty(16, np.int32)
    n_events = 0
    event_starts = np.zeros(16, np.int64)
    event_items = np.empty(16, np.int32)
    event_numbers = np.empty(32, np.int64)
    met = False

    for g in range(n_groups):
        pool[g] = g
    # The root is a child of nothing. A set that only one row holds is the row itself; the place in
    # the pool behind the root's rows is for those.
    child_item[0] = -1
    child_start[0] = 0
    child_end[0] = n_groups
    depth = 0
    next_child[0] = 0
    last_child[0] = 1
    pool_top[0] = n_groups + 1
    single = np.int64(0)
    while depth >= 0 or single < n_groups:
        if stop[0] != 0:
            break
        expand = depth >= 0 and (fix or single == n_groups)
        if expand:
            if next_child[depth] == last_child[depth]:
                for k in range(set_start[depth], set_start[depth + 1]):
                    in_set[set_stack[k]] = False
                depth -= 1
                if depth >= 0:
                    for k in range(set_start[depth], set_start[depth + 1]):
                        in_set[set_stack[k]] = True
                continue
            child = next_child[depth]
            next_child[depth] += 1
            core = child_item[child]
            start = child_start[child]
            end = child_end[child]
            if end - start < 2:
                continue
        else:
            core = -1
            pool[n_groups] = single
            start = np.int64(n_groups)
            end = np.int64(n_groups + 1)
            single += 1

        # The closure: one row, thinned by the others.
        r = first_of[pool[end - 1]]
        size = 0
        for p in range(row_offsets[r], row_offsets[r + 1]):
            closure[size] = row_items[p]
            size += 1
        joint = weights[pool[end - 1]]
        for k in range(start, end - 1):
            g = pool[k]
            joint += weights[g]
            p = row_offsets[first_of[g]]
            row_end = row_offsets[first_of[g] + 1]
            kept = 0
            for c in range(size):
                x = closure[c]
                while p < row_end and row_items[p] < x:
                    p += 1
                if p == row_end:
                    break
                if row_items[p] == x:
                    closure[kept] = x
                    kept += 1
                    p += 1
            size = kept
        if expand:
            preserved = True
            for c in range(size):
                if closure[c] >= core:
                    break
                if not in_set[closure[c]]:
                    preserved = False
                    break
            if not preserved:
                continue
        joint += extra_joint
        # Weights only fall: with none left, nothing below can be unsafe.
        if joint == 0:
            continue

        if size > 0 or with_prior:
            for c in range(size):
                as_ranks[c] = ranks[closure[c]]
            enough = (joint * den + num - 1) // num - extra_support
            support = count_support(
                as_ranks, size, enough, offsets, items, post_offsets, post_rows, supports, bitmaps
            )
            if support < enough:
                met = True
                if not fix:
                    event_items = room_for(event_items, size)
                    for c in range(size):
                        event_items[c] = as_ranks[c]
                    event_starts[1] = size
                    break
                surplus = joint - num * (support + extra_support) // den
                used = event_starts[n_events]
                event_starts = room_for(event_starts, n_events + 2)
                event_items = room_for(event_items, used + size)
                event_numbers = room_for(event_numbers, 2 * n_events + 2)
                for c in range(size):
                    event_items[used + c] = closure[c]
                event_starts[n_events + 1] = used + size
                event_numbers[2 * n_events] = joint
                event_numbers[2 * n_events + 1] = support
                lowered = room_for(lowered, n_lowered + surplus)
                answers = room_for(answers, n_lowered + surplus)
                if at_random:
                    while surplus > 0:
                        ticket = next_random(state) % joint
                        k = start
                        while ticket >= weights[pool[k]]:
                            ticket -= weights[pool[k]]
                            k += 1
                        weights[pool[k]] -= 1
                        joint -= 1
                        lowered[n_lowered] = pool[k]
                        answers[n_lowered] = n_events
                        n_lowered += 1
                        surplus -= 1
                else:
                    for k in range(start, end):
                        g = pool[k]
                        while weights[g] > 0 and surplus > 0:
                            weights[g] -= 1
                            lowered[n_lowered] = g
                            answers[n_lowered] = n_events
                            n_lowered += 1
                            surplus -= 1
                        if surplus == 0:
                            break
                n_events += 1
        if not expand:
            continue

        # Deliver the rows to the items above the core that the closure lacks.
        for k in range(set_start[depth], set_start[depth + 1]):
            in_set[set_stack[k]] = False
        for c in range(size):
            in_set[closure[c]] = True
        n_touched = 0
        for k in range(start, end):
            r = first_of[pool[k]]
            p = row_offsets[r + 1] - 1
            while p >= row_offsets[r] and row_items[p] > core:
                x = row_items[p]
                if not in_set[x]:
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
            r = first_of[pool[k]]
            p = row_offsets[r + 1] - 1
            while p >= row_offsets[r] and row_items[p] > core:
                x = row_items[p]
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
    return met, n_lowered, lowered, answers, n_events, event_starts, event_items, event_numbers
