"""Fix every unsafe closed set of D_e, one consequent after another.

While e is being deleted no sup(C) changes, for C never holds e: one pass over the closed sets of D_e
finishes e. The rows of D_e are copied and merged; deleting lowers the weight of a merged row. This is
the suppressor's own enumeration; the proof of a release has another (``closed.py``).
"""

from __future__ import annotations

import numpy as np

from withhold.kernels.arrays import room_for, sort_ascending
from withhold.kernels.bits import clear_bit
from withhold.kernels.closed import count_support
from withhold.kernels.jit import kernel
from withhold.kernels.sweep import next_random


@kernel
def gather(  # type: ignore[no-untyped-def]
    consequent, given, offsets, items, post_offsets, post_rows, local_of, ranks, rows
):
    """The records that hold ``consequent`` (and ``given``, unless -1), with items numbered locally.

    Fills ``ranks`` (local number → rank, ascending) and ``rows``; ``local_of`` is all -1 before and
    after. Returns the number of rows, of local items, and the local rows as offsets and items.
    """
    key = consequent
    if given >= 0 and (
        post_offsets[given + 1] - post_offsets[given]
        < post_offsets[consequent + 1] - post_offsets[consequent]
    ):
        key = given
    n_rows = 0
    n_local = 0
    total = np.int64(0)
    for posting in range(post_offsets[key], post_offsets[key + 1]):
        row = post_rows[posting]
        has_consequent = False
        has_given = given < 0
        for p in range(offsets[row], offsets[row + 1]):
            if items[p] == consequent:
                has_consequent = True
            elif items[p] == given:
                has_given = True
        if not (has_consequent and has_given):
            continue
        rows[n_rows] = row
        n_rows += 1
        for p in range(offsets[row], offsets[row + 1]):
            x = items[p]
            if x >= 0 and x != consequent:
                total += 1
                if local_of[x] < 0:
                    local_of[x] = 0
                    ranks[n_local] = x
                    n_local += 1
    sort_ascending(ranks, n_local)
    for local in range(n_local):
        local_of[ranks[local]] = local
    row_offsets = np.zeros(n_rows + 1, np.int64)
    row_items = np.empty(total, np.int32)
    at = np.int64(0)
    for r in range(n_rows):
        row = rows[r]
        for p in range(offsets[row], offsets[row + 1]):
            x = items[p]
            if x >= 0 and x != consequent:
                row_items[at] = local_of[x]
                at += 1
        row_offsets[r + 1] = at
    for local in range(n_local):
        local_of[ranks[local]] = -1
    return n_rows, n_local, row_offsets, row_items


@kernel
def merge_local_rows(n_rows, row_offsets, row_items, group_of):  # type: ignore[no-untyped-def]
    """Number equal rows alike: fills ``group_of`` and returns the first row and size of each group."""
    width = np.int64(4)
    while width < 2 * n_rows:
        width *= 2
    slots = np.zeros(width, np.int32)
    first_of = np.empty(n_rows, np.int32)
    weights = np.zeros(n_rows, np.int64)
    n_groups = 0
    for r in range(n_rows):
        begin = row_offsets[r]
        length = row_offsets[r + 1] - begin
        key = np.int64(length + 1)
        for k in range(length):
            key = (key * 1000003 + row_items[begin + k] + 1) % 2305843009213
        s = (key ^ (key >> 17)) & (width - 1)
        group = -1
        while slots[s] != 0:
            other = first_of[slots[s] - 1]
            if row_offsets[other + 1] - row_offsets[other] == length:
                same = True
                for k in range(length):
                    if row_items[begin + k] != row_items[row_offsets[other] + k]:
                        same = False
                        break
                if same:
                    group = slots[s] - 1
                    break
            s = (s + 1) & (width - 1)
        if group < 0:
            group = n_groups
            first_of[group] = r
            n_groups += 1
            slots[s] = n_groups
        group_of[r] = group
        weights[group] += 1
    return n_groups, first_of, weights


@kernel
def visit_closed_sets(  # type: ignore[no-untyped-def]
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


@kernel
def fix_consequents(  # type: ignore[no-untyped-def]
    pairs,
    offsets,
    items,
    post_offsets,
    post_rows,
    supports,
    bitmaps,
    num,
    den,
    with_prior,
    at_random,
    state,
    stop,
):
    """For each pair (e, d) make all rules q→e safe, with d ∈ q unless d is -1, by deleting e.

    Deletes in ``items`` (-1). Returns how many pairs were finished, and deletions and events as
    ``sweep`` does.
    """
    n_items = len(post_offsets) - 1
    n_all = len(offsets) - 1
    first_bitmap = n_items - bitmaps.shape[0]
    local_of = np.full(n_items, -1, np.int32)
    ranks = np.empty(n_items, np.int32)
    rows = np.empty(n_all, np.int32)
    group_of = np.empty(n_all, np.int32)
    n_deleted = 0
    deleted = np.empty(1024, np.int32)
    answers = np.empty(1024, np.int32)
    n_events = 0
    event_starts = np.zeros(1024, np.int64)
    event_numbers = np.empty(1024, np.int64)
    event_items = np.empty(1024, np.int32)
    done = 0
    for pair in range(len(pairs)):
        if stop[0] != 0:
            break
        e = pairs[pair, 0]
        n_rows, n_local, row_offsets, row_items = gather(
            e, pairs[pair, 1], offsets, items, post_offsets, post_rows, local_of, ranks, rows
        )
        done += 1
        if n_rows == 0:
            continue
        n_groups, first_of, weights = merge_local_rows(n_rows, row_offsets, row_items, group_of)
        _, n_lowered, lowered, why, n_new, starts, antecedents, numbers = visit_closed_sets(
            n_groups,
            first_of,
            weights,
            row_offsets,
            row_items,
            n_local,
            ranks,
            with_prior,
            0,
            0,
            True,
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
        )
        if stop[0] != 0:
            done -= 1
        if n_lowered == 0:
            continue
        used = event_starts[n_events]
        event_starts = room_for(event_starts, n_events + n_new + 1)
        event_items = room_for(event_items, used + starts[n_new])
        event_numbers = room_for(event_numbers, 3 * (n_events + n_new))
        for k in range(n_new):
            event_starts[n_events + k + 1] = used + starts[k + 1]
            event_numbers[3 * (n_events + k)] = e
            event_numbers[3 * (n_events + k) + 1] = numbers[2 * k]
            event_numbers[3 * (n_events + k) + 2] = numbers[2 * k + 1]
        for k in range(starts[n_new]):
            event_items[used + k] = ranks[antecedents[k]]
        # Each group's rows in turn, longest first: the group says how many, the row loses e.
        deleted = room_for(deleted, n_deleted + n_lowered)
        answers = room_for(answers, n_deleted + n_lowered)
        next_row = np.full(n_groups, -1, np.int64)
        following = np.empty(n_rows, np.int64)
        for r in range(n_rows - 1, -1, -1):
            following[r] = next_row[group_of[r]]
            next_row[group_of[r]] = r
        for k in range(n_lowered):
            r = next_row[lowered[k]]
            next_row[lowered[k]] = following[r]
            row = rows[r]
            for p in range(offsets[row], offsets[row + 1]):
                if items[p] == e:
                    items[p] = -1
                    supports[e] -= 1
                    clear_bit(bitmaps, first_bitmap, e, row)
                    deleted[n_deleted] = p
                    answers[n_deleted] = n_events + why[k]
                    n_deleted += 1
                    break
        n_events += n_new
    return (
        done,
        deleted[:n_deleted],
        answers[:n_deleted],
        event_starts[: n_events + 1],
        event_items[: event_starts[n_events]],
        event_numbers[: 3 * n_events],
    )


@kernel
def harmed_pairs(  # type: ignore[no-untyped-def]
    suspects, processed, offsets, items, post_offsets, post_rows, sensitive
):
    """The pairs (f, d): f sensitive, in a record with d, looked at before d was deleted somewhere.

    conf(q→f) rises only if sup(q) fell, that is if d ∈ q went from a record. ``processed[f]`` is when
    f was last looked at, ``suspects[k] = (d, when)`` when d last lost an occurrence.
    """
    n_items = len(post_offsets) - 1
    seen = np.full(n_items, -1, np.int64)
    n = 0
    pairs = np.empty((64, 2), np.int32)
    for k in range(len(suspects)):
        d = suspects[k, 0]
        for posting in range(post_offsets[d], post_offsets[d + 1]):
            row = post_rows[posting]
            holds = False
            for p in range(offsets[row], offsets[row + 1]):
                if items[p] == d:
                    holds = True
                    break
            if not holds:
                continue
            for p in range(offsets[row], offsets[row + 1]):
                f = items[p]
                if f >= 0 and f != d and sensitive[f] and seen[f] != k:
                    seen[f] = k
                    if processed[f] < suspects[k, 1]:
                        if n == len(pairs):
                            more = np.empty((2 * n, 2), np.int32)
                            for a in range(n):
                                more[a, 0] = pairs[a, 0]
                                more[a, 1] = pairs[a, 1]
                            pairs = more
                        pairs[n, 0] = f
                        pairs[n, 1] = d
                        n += 1
    return pairs[:n]
